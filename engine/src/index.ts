export { createBackup } from './backup/create.ts';
export { BackupFailure } from './backup/manifest.ts';
export { restoreBackup } from './backup/restore.ts';
export { type Engine, type EngineHooks, openEngine, openInMemory } from './engine.ts';
export { isFolderInUse } from './folder-lock.ts';
export { isFullDisk } from './full-disk.ts';
export { type PgliteClient, StuckEngine } from './pglite-client.ts';
