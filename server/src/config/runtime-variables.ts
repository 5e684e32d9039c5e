import {
  type RuntimeVariable,
  runtimeVariables,
  type VariableForm,
} from '@session-launch/contract/runtime/variables';
import { baseUrl, host, integer, type Kind, matching, oneOf, type Variable, websocketUrl } from './values.ts';

type OfRuntime = Variable<unknown> & { readBy: 'runtime' };

/** The variables of the runtime. They are defined in the contract, because the runtime is a separate program. */
export const variablesOfRuntime = Object.fromEntries(
  Object.entries<RuntimeVariable>(runtimeVariables).map(
    ([name, { form, ...variable }]): [string, OfRuntime] => [
      name,
      { ...kindOf(form), ...variable, readBy: 'runtime' },
    ],
  ),
) as Record<keyof typeof runtimeVariables, OfRuntime>;

function kindOf(form: VariableForm): Kind<unknown> {
  switch (form.kind) {
    case 'integer':
      return integer(form.min, form.max);
    case 'choice':
      return oneOf(form.values);
    case 'url':
      return baseUrl(form.example);
    case 'websocket':
      return websocketUrl;
    case 'list':
      return matching(
        /^[^\p{Cc},]{1,200}(,[^\p{Cc},]{1,200}){0,99}$/u,
        'at most 100 names separated by commas, of at most 200 characters each',
      );
    case 'host':
      return host;
    case 'secret':
      return {
        ...matching(/^[\x21-\x7e]{1,512}$/, '1 to 512 printable ASCII characters without spaces'),
        secret: 'whole',
      };
    case 'text':
      return matching(/^[^\p{Cc}]{1,200}$/u, 'a text of at most 200 characters without control characters');
  }
}
