import type { ExperienceState } from '@session-launch/contract/admin/experience-schemas';
import {
  createExperienceOperation,
  listExperiencesOperation,
  orderExperiencesOperation,
  readExperienceOperation,
  saveExperienceOperation,
} from '@session-launch/contract/admin/experiences';
import {
  archiveExperienceOperation,
  compareRevisionsOperation,
  deleteExperienceOperation,
  listRevisionsOperation,
  publishExperienceOperation,
  readRevisionOperation,
  unpublishExperienceOperation,
} from '@session-launch/contract/admin/revisions';
import type { Sent } from '@session-launch/contract/sent';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Actor } from '../audit/actor.ts';
import { readExperience, type StoredExperience } from '../content/stored-experience.ts';
import { refusingTakenSlugs } from '../content/write-experience.ts';
import { checkExperience, invalidDocument } from '../editing/check-experience.ts';
import { create } from '../editing/create.ts';
import { deleteExperience } from '../editing/delete.ts';
import { compareRevisions, listRevisions, readFrozen } from '../editing/history.ts';
import { listExperiences } from '../editing/list.ts';
import { publish, withdraw } from '../editing/publish.ts';
import { reorder } from '../editing/reorder.ts';
import { planSave, save } from '../editing/save.ts';
import { newId } from '../primitives/ids.ts';
import { countingOf } from '../statistics/usage.ts';
import type { Transaction } from '../store/database.ts';
import type { AdminDeps } from './deps.ts';
import { knownProject } from './known-project.ts';
import { mount } from './mount.ts';
import { requesterOf } from './requester.ts';
import { giveVersion } from './version-tag.ts';

export async function experienceAdminRoutes(
  app: FastifyInstance,
  { database, commit, documents }: AdminDeps,
): Promise<void> {
  mount(app, listExperiencesOperation, async ({ params, reply }) => {
    const project = await knownProject(database, params.projectId);
    const { isCounting, ...listed } = await listExperiences(database, project);
    return tagged(reply, { ...listed, ...countingOf(isCounting) });
  });

  mount(app, createExperienceOperation, async (call) => {
    const projectId = await knownProject(database, call.params.projectId);
    const { experience, ...others } = call.body;
    const isBody = experience === undefined;
    const written = { id: newId('exp'), ...(isBody ? others : experience) };
    const document = await checkExperience(documents, requesterOf(call), written, isBody ? '' : 'experience');
    const hasPosition = 'sortOrder' in written;
    const created = await refusingTakenSlugs(
      commit(call, (tx, write) => create(tx, write, call, projectId, document, hasPosition)),
    );
    return tagged(call.reply, stateOf(created));
  });

  mount(app, orderExperiencesOperation, async (call) => {
    const projectId = await knownProject(database, call.params.projectId);
    const { version, moved } = await commit(call, (tx, write) =>
      reorder(tx, write, call, projectId, call.version, call.body.experienceIds),
    );
    return tagged(call.reply, {
      version,
      moved: moved.map(({ id, sortOrder }) => ({ experienceId: id, sortOrder })),
    });
  });

  mount(app, readExperienceOperation, async (call) => {
    const { params, query, actor, reply } = call;
    const stored = await readOne(params.experienceId, actor);
    if (query.format !== 'yaml') return tagged(reply, stateOf(stored));
    const text = await documents.serialise(requesterOf(call), JSON.stringify(stored.experience), 'yaml');
    tagged(reply, stored);
    return reply.type('application/yaml; charset=utf-8').send(text);
  });

  mount(app, saveExperienceOperation, async (call) => {
    const { experienceId } = call.params;
    const { experience: written, note } = call.body;
    const document = await checkExperience(
      documents,
      requesterOf(call),
      { ...written, id: written.id ?? experienceId },
      'experience',
    );
    if (document.id !== experienceId)
      throw invalidDocument([{ path: 'experience.id', message: `must be ${experienceId}, as in the path` }]);
    const request = { authored: call, version: call.version, document, note };
    const saved =
      call.query.plan === 'true'
        ? await planSave(reading, request)
        : await refusingTakenSlugs(commit(call, (tx, write) => save(tx, write, request)));
    return tagged(call.reply, saved);
  });

  mount(app, publishExperienceOperation, async (call) => {
    const request = { authored: call, version: call.version, ...call.params, ...call.body };
    const stored = await refusingTakenSlugs(commit(call, (tx, write) => publish(tx, write, request)));
    return tagged(call.reply, stateOf(stored));
  });
  mount(app, unpublishExperienceOperation, async (call) => {
    const request = { authored: call, version: call.version, ...call.params };
    const stored = await commit(call, (tx, write) => withdraw(tx, write, request, 'draft'));
    return tagged(call.reply, stateOf(stored));
  });
  mount(app, archiveExperienceOperation, async (call) => {
    const request = { authored: call, version: call.version, ...call.params };
    const stored = await commit(call, (tx, write) => withdraw(tx, write, request, 'archived'));
    return tagged(call.reply, stateOf(stored));
  });

  mount(app, deleteExperienceOperation, async (call) => {
    await commit(call, (tx, write) =>
      deleteExperience(tx, write, call, call.params.experienceId, call.version),
    );
    return undefined;
  });

  mount(app, listRevisionsOperation, async ({ params, actor }) => {
    const stored = await readOne(params.experienceId, actor);
    const { revisions, isCounting } = await listRevisions(reading, stored);
    return {
      ...countingOf(isCounting),
      revisions: revisions.map(({ createdAt, note, ...revision }) => ({
        ...revision,
        createdAt: createdAt.toISOString(),
        ...(note === null ? {} : { note }),
        published: revision.revision === stored.publishedRevision,
      })),
    };
  });
  mount(app, readRevisionOperation, async ({ params, actor }) => {
    const { experience } = await readOne(params.experienceId, actor);
    return { ...experience, ...(await readFrozen(reading, experience.id, Number(params.revision))) };
  });
  mount(app, compareRevisionsOperation, async ({ params, query, actor }) => {
    const { experience } = await readOne(params.experienceId, actor);
    const to = Number(params.revision);
    const from = query.from === undefined ? to - 1 : Number(query.from);
    return { changes: await compareRevisions(reading, experience.id, from, to) };
  });

  /** Reads without a transaction. */
  const reading: Transaction = { query: (statement, values) => database.query('admin', statement, values) };

  function readOne(experienceId: string, actor: Actor): Promise<StoredExperience> {
    return readExperience(reading, actor, experienceId);
  }
}

/** Sets the ETag to the version of the answer, and returns the answer. */
function tagged<T extends { version: number }>(reply: FastifyReply, answer: T): T {
  giveVersion(reply, answer.version);
  return answer;
}

function stateOf({ projectId: _, ...stored }: StoredExperience): Sent<ExperienceState> {
  return { ...stored, updatedAt: stored.updatedAt.toISOString() } as Sent<ExperienceState>;
}
