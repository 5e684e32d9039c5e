import type { Hearing } from '../hearing.ts';
import type { ModelFiles } from './installed.ts';
import { HearingProcesses, type ProcessesDeps } from './processes.ts';

export interface LocalHearing extends Hearing {
  readonly processes: HearingProcesses;
}

/** Transcribes English on this machine. Its processes are started when the first session needs them. */
export function localHearing(files: ModelFiles, deps: Omit<ProcessesDeps, 'files'>): LocalHearing {
  const processes = new HearingProcesses({ files, ...deps });
  return {
    name: 'moonshine-tiny',
    processes,
    isLocal: true,
    hears: (locale) => processes.isUsable && /^en(-|$)/i.test(locale),
    prepare: () => processes.prepare(),
    transcribe: ({ samples }, _locale, signal, session = {}) => processes.run(samples, session, signal),
    close: () => processes.close(),
  };
}
