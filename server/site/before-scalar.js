// A library inside Scalar asks once whether it may compile code, by trying `new Function('')`, and does without
// when it may not. The policy of this page forbids it, and browsers report every try: so answer before they do.
globalThis.Function = new Proxy(Function, {
  construct() {
    throw new EvalError('this page does not compile code');
  },
});
