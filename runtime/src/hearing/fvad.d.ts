declare module '@echogarden/fvad-wasm' {
  export default function load(): Promise<unknown>;
}
