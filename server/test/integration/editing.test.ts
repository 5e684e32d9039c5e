import { editorOf } from '@session-launch/testing/editing.ts';
import type { Answer } from '@session-launch/testing/http.ts';
import { launched } from '@session-launch/testing/lifecycle.ts';
import {
  createWorld,
  expectError,
  experience,
  mintFromBrowser,
  mintFromPublic,
  mintFromServer,
  pageOrigin,
  runtime,
  type World,
} from '@session-launch/testing/world.ts';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { insert as insertAudit } from '../../src/audit/record.ts';
import { remove } from '../../src/editing/delete.ts';
import { newId } from '../../src/primitives/ids.ts';
import { Retention } from '../../src/sessions/retention.ts';
import { deleteIn } from '../harness/deletion.ts';
import { type Service, startService, useService } from '../harness/service.ts';
import { rollUpAll } from '../harness/usage.ts';

const service = useService();
/** Five seconds, and as much for a busy machine. */
const within = 10_000;
let other: Service;
beforeAll(async () => {
  other = await startService({}, service);
});
afterAll(() => other?.close());
const editor = editorOf({ admin: (call) => service.admin(call) });
const query = <Row>(text: string, values: unknown[] = []) =>
  service.database.query<Row>('admin', { text }, values);

/** Every public answer about an experience, without what differs between two mints. */
async function publicAnswers({ projectId, experienceId, liveKey }: World, slug: string): Promise<unknown> {
  const get = (path: string) =>
    service.call({
      path: `/v1/projects/${projectId}/${path}`,
      headers: { Authorization: `Bearer ${liveKey}` },
    });
  const body = { experienceId };
  const read = async (answer: Promise<Answer>) => {
    const { status, text, headers } = await answer;
    return [status, text, headers.etag];
  };
  const launch = async (answer: Promise<Answer>) => {
    const { status, json } = await answer;
    const { sessionId: _i, sessionToken: _t, expiresAt: _e, links: _l, ...manifest } = json.launch ?? json;
    return [status, json.session?.revision, JSON.stringify(manifest)];
  };
  return [
    await read(get('experiences')),
    await read(get(`experiences/${slug}`)),
    await launch(mintFromServer(service, liveKey, body)),
    await launch(mintFromBrowser(service, body)),
    await launch(mintFromPublic(service, body)),
  ];
}

describe('drafts', () => {
  test('leave every public answer as it is', async () => {
    const world = await createWorld(service, { experience: { public: true, allowedOrigins: [pageOrigin] } });
    const { experience: document } = await editor.read(world.experienceId);
    const before = await publicAnswers(world, document.slug);
    const draft = {
      ...document,
      title: 'Draft',
      slug: `${document.slug}-draft`,
      runtime: { ...runtime(), mode: 'presenter' },
    };
    await editor.ok(editor.save(draft, 1));
    expect(await publicAnswers(world, document.slug)).toEqual(before);
    const hidden = await service.call({
      path: `/v1/projects/${world.projectId}/experiences/${draft.slug}`,
      headers: { Authorization: `Bearer ${world.key}` },
    });
    expectError(hidden, 404, 'EXPERIENCE_NOT_FOUND');

    await editor.ok(editor.publish(world.experienceId, 2));
    expect(await publicAnswers(world, draft.slug)).not.toEqual(before);
    await editor.ok(editor.publish(world.experienceId, 3, { revision: 1 }));
    const [, , ...mints] = (await publicAnswers(world, document.slug)) as unknown[];
    expect(mints).toEqual((before as unknown[]).slice(2));
  });

  test('are launched once they are published, on every process within five seconds', async () => {
    const world = await createWorld(service);
    const id = world.experienceId;
    const title = async (at: Service) =>
      (await mintFromServer(at, world.liveKey, { experienceId: id })).json.launch.experience.title;
    const { experience: document } = await editor.read(id);
    expect(await title(other)).toBe(document.title);
    await editor.ok(editor.save({ ...document, title: 'Newer' }, 1));
    expect([await title(service), await title(other)]).toEqual([document.title, document.title]);
    await editor.ok(editor.publish(id, 2));
    expect(await title(service)).toBe('Newer');
    await expect.poll(() => title(other), { timeout: within }).toBe('Newer');
    await editor.ok(editor.publish(id, 3, { revision: 1 }));
    expect(await title(service)).toBe(document.title);
    await expect.poll(() => title(other), { timeout: within }).toBe(document.title);
  });
});

describe('races', () => {
  test('of 50 saves with one version one succeeds, and the others are told who changed what', async () => {
    const world = await createWorld(service);
    const { experience: document } = await editor.read(world.experienceId);
    const editors = [editor, editorOf({ admin: (call) => other.admin(call) })];
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => editors[i % 2]!.save({ ...document, title: `Title ${i}` }, 1)),
    );
    const saved = answers.filter(({ status }) => status === 200);
    expect(saved).toHaveLength(1);
    const { title } = saved[0]!.json.experience;
    for (const answer of answers) {
      if (answer === saved[0]) continue;
      expectError(answer, 412, 'VERSION_CONFLICT');
      expect(answer.json.error.details).toEqual({
        version: 2,
        by: 'bootstrap',
        at: expect.stringMatching(/Z$/),
        changes: [{ path: 'title', before: document.title, after: title }],
      });
    }
    expect((await editor.read(world.experienceId)).experience.title).toBe(title);
    expect(await editor.revisions(world.experienceId)).toHaveLength(2);
  });

  test('of two experiences that take one slug at the same time one gets it', async () => {
    const world = await createWorld(service, { experiences: Array.from({ length: 8 }, () => experience()) });
    const answers = await Promise.all(
      world.file.experiences.map(async ({ id }) => {
        const { experience: document } = await editor.read(id);
        return editor.save({ ...document, slug: 'wanted' }, 1);
      }),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expectError(answer, 409, 'SLUG_TAKEN');
  });

  test('ordering, saving positions and creating at the same time end in a consistent order', async () => {
    const world = await createWorld(service, { experiences: Array.from({ length: 5 }, () => experience()) });
    const ids = world.file.experiences.map(({ id }) => id as string);
    for (let round = 0; round < 5; round++) {
      const { version } = await editor.list(world.projectId);
      const states = await Promise.all(ids.map((id) => editor.read(id)));
      const answers = await Promise.all([
        editor.order(world.projectId, ids.toReversed(), version),
        ...states.map((state, i) =>
          editor.save({ ...state.experience, sortOrder: (i * 7 + round) % 5 }, state.version),
        ),
        editor.create(world.projectId, { slug: `new-${round}`, title: 'New', runtime: runtime() }),
      ]);
      for (const { status, text } of answers) expect([200, 201, 400, 412], text).toContain(status);
      ids.push(answers.at(-1)!.json.experience.id);
    }
  });
});

describe('deleting an experience', () => {
  async function insertSession(tx: Pick<Service['database'], never> & Tx, world: World): Promise<void> {
    await tx.query(
      {
        text: `INSERT INTO sessions (id, project_id, experience_id, revision, livemode, source, given, created_at, expires_at)
               VALUES ($1, $2, $3, 1, false, 'server', '{}', now(), now() + interval '1 minute')`,
      },
      [newId('ses'), world.projectId, world.experienceId],
    );
  }
  /** Whether a statement waits for the lock of mints. Other databases of the server belong to other tests. */
  const waitsForMints = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;
  type Tx = { query<Row>(statement: { text: string }, values?: unknown[]): Promise<Row[]> };

  test('waits for a mint that is being written, and is then refused', async () => {
    const world = await createWorld(service);
    let deleting: Promise<Answer> | undefined;
    await service.database.transaction(async (tx) => {
      await insertSession(tx, world);
      deleting = editor.remove(world.experienceId);
      if (service.database.engine === 'embedded') return;
      await expect.poll(async () => (await query(waitsForMints)).length).toBeGreaterThan(0);
    });
    expectError(await deleting!, 409, 'EXPERIENCE_IN_USE');
  });

  test('lets a mint that comes too late find no experience', async () => {
    const world = await createWorld(service);
    const mint = (locale: string) =>
      mintFromServer(service, world.key, { experienceId: world.experienceId, locale });
    // Loads the experience into the cache without a session.
    expect((await mint('und')).status).toBe(400);
    let minting: Promise<Answer> | undefined;
    await service.database.transaction(async (tx) => {
      await deleteIn(tx, world);
      minting = mint('en');
      if (service.database.engine === 'embedded') return;
      await expect.poll(async () => (await query(waitsForMints)).length).toBeGreaterThan(0);
    });
    expectError(await minting!, 404, 'EXPERIENCE_NOT_FOUND');
  });

  test.skipIf(inject('engine') === 'embedded')(
    'does not block mints for longer than two seconds if its process is suspended before the commit',
    async () => {
      const [world, other] = [await createWorld(service), await createWorld(service)];
      let minted: Answer | undefined;
      const deleting = service.database.transaction(async (tx) => {
        await tx.query(remove, [world.projectId, world.experienceId]);
        // Waits for the transaction to end, which this process does not do.
        minted = await mintFromServer(service, other.key, { experienceId: other.experienceId });
      });
      await expect(deleting).rejects.toThrow();
      expect(minted?.status, minted?.text).toBe(201);
      expect((await editor.read(world.experienceId)).experience.id).toBe(world.experienceId);
    },
  );

  test('blocks mints after everything else in its transaction', async () => {
    const world = await createWorld(service);
    const sent: (string | undefined)[] = [];
    const { database } = service;
    const transaction = database.transaction.bind(database);
    const observed = vi.spyOn(database, 'transaction').mockImplementation((work) =>
      transaction((tx) => {
        const query: typeof tx.query = (statement, values) => {
          sent.push(statement.name);
          return tx.query(statement, values);
        };
        return work({ ...tx, query });
      }),
    );
    onTestFinished(() => observed.mockRestore());
    expect((await editor.remove(world.experienceId)).status).toBe(204);
    expect(sent).toContain(insertAudit.name);
    expect(sent.at(-1)).toBe(remove.name);
  });

  test('is refused without waiting for mints if a session was launched before', async () => {
    const world = await createWorld(service);
    await launched(service, world);
    await service.database.transaction(async (tx) => {
      // As a mint that is being written holds it.
      await tx.query({ text: 'SELECT pg_advisory_xact_lock_shared(7315042019)' });
      if (service.database.engine === 'postgres')
        expectError(await editor.remove(world.experienceId), 409, 'EXPERIENCE_IN_USE');
    });
  });

  test('keeps a change that is based on it from applying to another one with its id', async () => {
    const { projectId } = await createWorld(service);
    const first = experience({ status: 'draft' });
    const { experience: document } = await editor.ok(editor.create(projectId, first), 201);
    await editor.ok(editor.save({ ...document, title: 'Changed' }, 1));
    expect((await editor.remove(first.id)).status).toBe(204);
    const again = await editor.ok(editor.create(projectId, { ...document, title: 'Another' }), 201);
    expect(again.version).toBe(3);
    for (const version of [1, 2]) {
      const refused = await editor.save({ ...document, title: 'Lost?' }, version);
      expectError(refused, 412, 'VERSION_CONFLICT');
      expect(refused.json.error.details).toMatchObject({ version: 3, by: 'bootstrap' });
    }
    expect((await editor.read(first.id)).experience.title).toBe('Another');
    await editor.ok(editor.save({ ...document, title: 'Another, changed' }, 3));
  });

  test('races with mints: either it is refused, or no session exists', async () => {
    const world = await createWorld(service);
    for (let round = 0; round < 10; round++) {
      const { id } = (await editor.ok(editor.create(world.projectId, experience()), 201)).experience;
      const mint = (at: Service) => mintFromServer(at, world.key, { experienceId: id });
      const [removed, ...mints] = await Promise.all([
        editor.remove(id),
        mint(service),
        mint(other),
        mint(service),
      ]);
      const launched = mints.filter(({ status }) => status === 201).length;
      for (const one of mints) if (one.status !== 201) expectError(one, 404, 'EXPERIENCE_NOT_FOUND');
      expect(removed.status, removed.text).toBe(launched > 0 ? 409 : 204);
      const rows = await query('SELECT 1 FROM sessions WHERE experience_id = $1', [id]);
      expect(rows).toHaveLength(launched);
    }
  });

  test('is refused also after the retention period has deleted its sessions', async () => {
    const world = await createWorld(service);
    const minted = await mintFromServer(service, world.key, { experienceId: world.experienceId });
    expect(minted.status).toBe(201);
    const day = 86_400_000;
    await rollUpAll(service.database);
    const retention = new Retention({ database: service.database, log: pino({ level: 'silent' }) }, 1);
    await retention.run(new Date(Date.now() + 3 * day), 60_000);
    expect(await query('SELECT 1 FROM sessions WHERE project_id = $1', [world.projectId])).toEqual([]);
    expectError(await editor.remove(world.experienceId), 409, 'EXPERIENCE_IN_USE');
    expect((await editor.read(world.experienceId)).version).toBe(1);
  });
});

describe('the audit', () => {
  test('has an entry for each versioned document that a write changes', async () => {
    const world = await createWorld(service);
    const { id } = (await editor.ok(editor.create(world.projectId, experience({ status: 'draft' })), 201))
      .experience;
    const { experience: document } = await editor.read(id);
    await editor.ok(editor.save({ ...document, title: 'Saved' }, 1));
    await editor.ok(editor.plan({ ...document, title: 'Planned' }, 2));
    await editor.ok(editor.publish(id, 2, { note: 'Go' }));
    await editor.ok(editor.unpublish(id, 3));
    await editor.ok(editor.archive(id, 4));
    const { version } = await editor.list(world.projectId);
    await editor.ok(editor.order(world.projectId, [id, world.experienceId], version));
    await editor.ok(editor.patch(world.projectId, { name: 'Audited' }, version + 1));
    await editor.ok(editor.patch(world.projectId, { name: 'Audited' }, version + 2));
    expect((await editor.remove(id)).status).toBe(204);
    const rows = await query<{ action: string; target: string; version: number; name: string; via: string }>(
      `SELECT action, target, version, name, via FROM audit
        WHERE project_id = $1 AND action ~ '^(experience|project)\\.' AND via <> 'file' ORDER BY id`,
      [world.projectId],
    );
    const short = rows.map(({ action, target, version }) => [
      action,
      target === world.projectId ? 'project' : 'experience',
      version,
    ]);
    expect(short).toEqual([
      ['experience.create', 'experience', 1],
      ['experience.create', 'project', expect.any(Number)],
      ['experience.save', 'experience', 2],
      ['experience.publish', 'experience', 3],
      ['experience.unpublish', 'experience', 4],
      ['experience.archive', 'experience', 5],
      ['experience.order', 'experience', expect.any(Number)],
      ['experience.order', 'project', version + 1],
      ['project.update', 'project', version + 2],
      ['experience.delete', 'experience', null],
      ['experience.delete', 'project', version + 3],
    ]);
    for (const { name, via } of rows) expect([name, via]).toEqual(['bootstrap', 'token']);
  });
});
