declare module '*.ulaw' {
  const bytes: Uint8Array;
  export default bytes;
}
