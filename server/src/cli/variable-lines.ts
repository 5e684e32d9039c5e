import { allVariables } from '../config/variables.ts';

/** The environment variables that one program reads, as lines for `--help`. */
export function variableLines(reader: 'service' | 'command line' | 'runtime'): string {
  const shown = allVariables.filter(({ readBy }) => readBy === reader || readBy === 'both');
  const width = Math.max(...shown.map(({ name }) => name.length));
  return shown
    .map(({ name, meaning, otherwise, default: byDefault = otherwise }) => {
      const suffix = byDefault === undefined ? '' : ` [${byDefault}]`;
      return `  ${name.padEnd(width)}  ${meaning}${suffix}`.replaceAll('`', '');
    })
    .join('\n');
}
