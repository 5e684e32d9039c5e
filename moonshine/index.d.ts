/** The folder of the model's files. It may not exist: in a checkout, `npm ci --omit=optional` leaves the files out. */
export const modelFolder: URL;
/** SHA-256 of each file. */
export const modelFiles: Readonly<Record<'encoder_model.onnx' | 'decoder_model_merged.onnx', string>>;
