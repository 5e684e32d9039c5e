import { urlProblem } from '../outbound/target.ts';
import { argumentProblem, schemaProblems } from '../tools/parameters.ts';
import type { DataToCheck } from './file-data.ts';
import { isObject, type Path, type ProjectFileProblem, quoted } from './problem.ts';

/** The tools of a mind by name. */
type Tools = ReadonlyMap<string, Record<string, unknown>>;

export function toolsOf(mind: Record<string, unknown>): Tools {
  const tools = listOf(mind.tools).filter(isObject);
  return new Map(tools.flatMap((tool) => (typeof tool.name === 'string' ? [[tool.name, tool]] : [])));
}

/** Problems that JSON Schema cannot find: names that are used twice, addresses, schemas of parameters. */
export function toolProblems(file: DataToCheck, path: Path, tools: unknown): ProjectFileProblem[] {
  const seen = new Set<unknown>();
  return listOf(tools).flatMap((tool, index) => {
    if (!isObject(tool)) return [];
    const here = [...path, index];
    const isRepeated = typeof tool.name === 'string' && seen.has(tool.name);
    seen.add(tool.name);
    return [
      ...(isRepeated
        ? file.problem(
            [...here, 'name'],
            `${quoted(String(tool.name))} is used twice in this list; names must be unique, change one`,
          )
        : []),
      ...addressProblems(file, [...here, 'url'], tool.url),
      // The schema check reports parameters that are no object.
      ...(isObject(tool.parameters) ? schemaProblems(tool.parameters) : []).flatMap((problem) =>
        file.problem([...here, 'parameters', ...problem.path], problem.message),
      ),
    ];
  });
}

/** Whether private addresses are allowed depends on the service that makes the call, so they are not reported here. */
function addressProblems(file: DataToCheck, path: Path, url: unknown): ProjectFileProblem[] {
  // The schema check reports other texts.
  if (typeof url !== 'string' || !/^https?:\/\//.test(url)) return [];
  const problem = urlProblem(url, { allowPrivate: true });
  return problem === undefined ? [] : file.problem(path, problem);
}

/** Problems with a tool that a topic calls: an unknown name, arguments that do not match. */
export function toolCallProblems(
  file: DataToCheck,
  path: Path,
  then: Record<string, unknown>,
  tools: Tools,
): ProjectFileProblem[] {
  const { tool: name, arguments: values = {} } = then;
  if (typeof name !== 'string' || !isObject(values)) return [];
  const tool = tools.get(name);
  if (tool === undefined) {
    const known = [...tools.keys()];
    const hint = known.length === 0 ? 'add it to tools' : `write one of ${known.join(', ')}`;
    return file.problem([...path, 'tool'], `${quoted(name)} is not a tool of this mind; ${hint}`);
  }
  const parameters = isObject(tool.parameters) ? tool.parameters : undefined;
  if (parameters !== undefined && schemaProblems(parameters).length > 0) return [];
  const problem = argumentProblem(parameters, values);
  if (problem === undefined) return [];
  const place = 'arguments' in then ? [...path, 'arguments'] : path;
  return file.problem(place, `does not match the parameters of ${quoted(name)}: ${problem}`);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
