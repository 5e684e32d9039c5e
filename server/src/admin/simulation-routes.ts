import { simulateOperation, type WrittenLanguages } from '@session-launch/contract/admin/simulation';
import { defaults } from '@session-launch/contract/project-file/fields';
import type { FastifyInstance } from 'fastify';
import { simulate } from '../minting/simulate.ts';
import { invalidRequest } from '../primitives/errors.ts';
import { type Axis, canonicalLocale, type Languages } from '../primitives/locale.ts';
import type { AdminDeps } from './deps.ts';
import { knownExperience, knownRevision } from './known-experience.ts';
import { mount } from './mount.ts';

export async function simulationRoutes(app: FastifyInstance, { database }: AdminDeps): Promise<void> {
  mount(app, simulateOperation, async ({ params, body, actor }) => {
    const { experienceId } = params;
    const owner = await knownExperience(database, actor, experienceId);
    if (body.revision !== undefined && body.languages !== undefined)
      throw invalidRequest([{ path: 'languages', message: 'must not be sent together with revision' }]);
    const languages =
      body.languages === undefined
        ? (await knownRevision(database, owner, experienceId, body.revision)).runtime.languages
        : normalised(body.languages);
    return { results: body.cases.map((one) => simulate(languages, one)) };
  });
}

/** Languages of a request in the form of a revision. The request is validated, so every tag has a canonical form. */
function normalised(written: WrittenLanguages): Languages {
  const languages = { ...defaults.languages, ...written };
  return {
    dual: languages.dual,
    default: canonicalLocale(languages.default)!,
    conversation: canonicalAxis(languages.conversation),
    paired: canonicalAxis(languages.paired),
  };
}

function canonicalAxis(axis: Axis): Axis {
  return axis === 'match' ? axis : { fixed: canonicalLocale(axis.fixed)! };
}
