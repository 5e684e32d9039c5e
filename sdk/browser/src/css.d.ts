/** The build hands style sheets over as texts. */
declare module '*.css' {
  const text: string;
  export default text;
}
