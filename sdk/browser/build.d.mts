/** Whether there is something to serve. */
export function isBuilt(): boolean;
/** Whether something in src/ is newer than what was built of it. */
export function isStale(): boolean;
export function build(): Promise<void>;
export function buildTypes(): void;
