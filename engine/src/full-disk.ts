/** PostgreSQL's codes for a full disk, and for a write while the engine is read-only because its reserve is used up. */
const fullDiskCodes = ['53100', '25006'];

/** Whether an error of the embedded engine means that its disk is full. */
export function isFullDisk({ code, message }: Error & { code?: string }): boolean {
  return fullDiskCodes.includes(code ?? '') || /no space left|disk quota/i.test(message);
}
