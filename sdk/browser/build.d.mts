/** Whether a complete build exists. */
export function isBuilt(): boolean;
/** Whether a source file is newer than the build. */
export function isStale(): boolean;
export function build(): Promise<void>;
export function buildTypes(): void;
