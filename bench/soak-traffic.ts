import { randomUUID } from 'node:crypto';
import type { Answer, Call } from '@session-launch/testing/http.ts';
import type { Ledger } from './soak-ledger.ts';
import { mainProject, type SoakWorld } from './soak-world.ts';

/** A request and a check of its response; `problem` returns `undefined` if the response is expected. */
interface Attempt {
  call: Call;
  problem(answer: Answer): string | undefined;
}

/** A kind of request. The probability of sending it is proportional to its weight. */
export interface Kind {
  name: string;
  weight: number;
  /** A successful response contains a new launch, so a request without a response may have stored one. */
  mints?: boolean;
  attempt(): Attempt;
}

interface Kept {
  key: string;
  body: object;
  text: string;
}

/** The last 1,000 values, from which later requests choose. */
class Recent<T> {
  readonly #items: T[] = [];
  #next = 0;

  add(item: T): void {
    this.#items[this.#next++ % 1_000] = item;
  }

  any(): T | undefined {
    return this.#items[Math.floor(Math.random() * this.#items.length)];
  }
}

function isAnswer(answer: Answer, status: number, code?: string): string | undefined {
  const got = answer.status >= 400 ? `${answer.status} ${codeOf(answer)}` : String(answer.status);
  const wanted = code === undefined ? String(status) : `${status} ${code}`;
  return got === wanted ? undefined : `${got} instead of ${wanted}`;
}

function codeOf(answer: Answer): string {
  try {
    return answer.json.error.code;
  } catch {
    return '(no code)';
  }
}

const pick = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)]!;

/** All requests that callers of the service send, including invalid ones. Launches are added to the ledger. */
export function kindsOf(world: SoakWorld, ledger: Ledger): Kind[] {
  const sessions = new Recent<string>();
  const keyed = new Recent<Kept>();
  let etag = '';

  const bearer = () => ({ Authorization: `Bearer ${world.key}` });
  const body = () => ({ experienceId: pick(world.experienceIds), locale: pick(['en-GB', 'es-MX', 'pt']) });
  const fromServer = (request: unknown, headers: Record<string, string> = {}): Call => ({
    method: 'POST',
    path: '/v1/sessions',
    headers: { ...bearer(), ...headers },
    body: request,
  });
  const fromPage = (path: string, request: unknown, headers: Record<string, string>): Call => {
    return { method: 'POST', path, headers, body: request };
  };
  const launched = (answer: Answer): string | undefined => {
    const problem = isAnswer(answer, 201);
    if (problem === undefined) ledger.add(answer.json.session.sessionId);
    return problem;
  };
  const catalog = `/v1/projects/${mainProject}/experiences`;

  const serverMint: Kind = {
    name: 'server mint',
    weight: 20,
    mints: true,
    attempt: () => ({
      call: fromServer({ ...body(), userId: `user-${Math.floor(Math.random() * 5_000)}` }),
      problem: (answer) => {
        const problem = launched(answer);
        if (problem === undefined) sessions.add(answer.json.session.sessionId);
        return problem;
      },
    }),
  };
  const keyedMint: Kind = {
    name: 'server mint, fresh key',
    weight: 15,
    mints: true,
    attempt: () => {
      const [key, request] = [randomUUID(), body()];
      return {
        call: fromServer(request, { 'Idempotency-Key': key }),
        problem: (answer) => {
          const problem = launched(answer);
          if (problem === undefined) keyed.add({ key, body: request, text: answer.text });
          return problem;
        },
      };
    },
  };
  const replay: Kind = {
    name: 'server mint, replay',
    weight: 10,
    attempt: () => {
      const kept = keyed.any();
      if (kept === undefined) return keyedMint.attempt();
      return {
        call: fromServer(kept.body, { 'Idempotency-Key': kept.key }),
        problem: (answer) => {
          if (answer.status === 201 && answer.headers['idempotent-replayed'] !== 'true')
            return 'a second launch';
          if (answer.status === 201 && answer.text !== kept.text) return 'a replay with other bytes';
          return isAnswer(answer, 201);
        },
      };
    },
  };
  const conflict: Kind = {
    name: 'server mint, conflict',
    weight: 2,
    attempt: () => {
      const kept = keyed.any();
      if (kept === undefined) return keyedMint.attempt();
      return {
        call: fromServer({ ...kept.body, mode: 'presenter' }, { 'Idempotency-Key': kept.key }),
        problem: (answer) => isAnswer(answer, 409, 'IDEMPOTENCY_CONFLICT'),
      };
    },
  };
  const browserMint: Kind = {
    name: 'browser mint',
    weight: 12,
    mints: true,
    attempt: () => {
      const headers = { Origin: world.origin, 'Accept-Language': 'fr-CH, fr;q=0.9, en;q=0.8' };
      const key = Math.random() < 0.5 ? { 'Idempotency-Key': randomUUID() } : {};
      return {
        call: fromPage('/v1/browser-sessions', body(), { ...headers, ...key }),
        problem: (answer) =>
          answer.status === 201 && answer.headers.ratelimit === undefined
            ? 'a launch without RateLimit'
            : launched(answer),
      };
    },
  };
  const limitedMint: Kind = {
    name: 'browser mint, near its limit',
    weight: 3,
    mints: true,
    attempt: () => ({
      call: fromPage(
        '/v1/browser-sessions',
        { experienceId: world.tightExperience },
        { Origin: world.origin },
      ),
      problem: (answer) => {
        if (answer.status === 201) world.tightLaunches++;
        if (answer.status !== 429) return launched(answer);
        return Number(answer.headers['retry-after']) >= 1
          ? isAnswer(answer, 429, 'RATE_LIMITED')
          : '429 without Retry-After';
      },
    }),
  };
  const publicMint: Kind = {
    name: 'public mint',
    weight: 8,
    mints: true,
    attempt: () => ({
      call: fromPage('/v1/public-sessions', body(), { Origin: world.publicOrigin }),
      problem: (answer) => {
        const problem = isAnswer(answer, 200);
        if (problem === undefined) ledger.add(answer.json.sessionId);
        return problem;
      },
    }),
  };
  const ofSession = (method: 'GET' | 'POST', suffix: string, isRight: (status: string) => boolean) => () => {
    const id = sessions.any();
    if (id === undefined) return serverMint.attempt();
    return {
      call: { method, path: `/v1/sessions/${id}${suffix}`, headers: bearer() },
      problem: (answer: Answer) =>
        isAnswer(answer, 200) ??
        (answer.json.sessionId === id && isRight(answer.json.status) ? undefined : 'another session'),
    };
  };
  const read: Kind = {
    name: 'session read',
    weight: 12,
    attempt: ofSession('GET', '', (status) => ['created', 'ended'].includes(status)),
  };
  const end: Kind = {
    name: 'session end',
    weight: 6,
    attempt: ofSession('POST', '/end', (status) => status === 'ended'),
  };
  const listed: Kind = {
    name: 'catalog',
    weight: 4,
    attempt: () => ({
      call: { path: catalog, headers: bearer() },
      problem: (answer) => {
        etag = answer.headers.etag ?? '';
        if (answer.status === 200 && answer.json.experiences.length !== world.experienceIds.length) {
          return `${answer.json.experiences.length} entries`;
        }
        return isAnswer(answer, 200);
      },
    }),
  };
  const notModified: Kind = {
    name: 'catalog, If-None-Match',
    weight: 4,
    attempt: () => {
      const known = etag;
      return {
        call: { path: catalog, headers: { ...bearer(), 'If-None-Match': known } },
        problem: (answer) => {
          // The project was published between the two requests.
          if (answer.status === 200 && answer.headers.etag !== known) return undefined;
          return isAnswer(answer, 304);
        },
      };
    },
  };
  const entry: Kind = {
    name: 'catalog entry',
    weight: 2,
    attempt: () => ({
      call: { path: `${catalog}/${world.slug}`, headers: bearer() },
      problem: (answer) => isAnswer(answer, 200),
    }),
  };

  const mistakes: (() => [Call, number, string])[] = [
    () => [fromServer({ ...body(), mode: 'monologue' }), 400, 'INVALID_REQUEST'],
    () => [fromServer('{', { 'Content-Type': 'application/json' }), 400, 'INVALID_JSON'],
    () => [fromServer(body(), { 'Idempotency-Key': 'k'.repeat(257) }), 400, 'IDEMPOTENCY_KEY_INVALID'],
    () => [fromServer(body(), { Authorization: 'Bearer sl_live_nobody' }), 401, 'API_KEY_INVALID'],
    () => [fromServer({ experienceId: world.tightExperience }), 403, 'EXPERIENCE_FORBIDDEN'],
    () => [fromServer({ experienceId: 'exp_nobody' }), 404, 'EXPERIENCE_NOT_FOUND'],
    () => [fromServer(' '.repeat(70_000), { 'Content-Type': 'application/json' }), 413, 'PAYLOAD_TOO_LARGE'],
    () => [fromServer('{}', { 'Content-Type': 'text/plain' }), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    () => [fromPage('/v1/browser-sessions', body(), {}), 403, 'ORIGIN_REQUIRED'],
    () => [fromPage('/v1/browser-sessions', body(), { Origin: 'null' }), 403, 'ORIGIN_NOT_ALLOWED'],
    () => [fromPage('/v1/public-sessions', body(), { Origin: world.origin }), 403, 'ORIGIN_NOT_ALLOWED'],
    () => [{ path: '/v1/sessions/ses_nobody', headers: bearer() }, 404, 'SESSION_NOT_FOUND'],
    () => [{ path: '/v1/projects/prj_tight/experiences', headers: bearer() }, 403, 'PROJECT_FORBIDDEN'],
    () => [{ path: `/v1/${randomUUID()}` }, 404, 'NOT_FOUND'],
    () => [{ method: 'PUT', path: '/v1/sessions' }, 405, 'METHOD_NOT_ALLOWED'],
  ];
  const mistake: Kind = {
    name: 'bad request',
    weight: 6,
    attempt: () => {
      const [call, status, code] = pick(mistakes)();
      return { call, problem: (answer) => isAnswer(answer, status, code) };
    },
  };

  return [
    ...[serverMint, keyedMint, replay, conflict, browserMint, limitedMint, publicMint],
    ...[read, end, listed, notModified, entry, mistake],
  ];
}

/** Returns a random kind, by weight. */
export function choose(kinds: readonly Kind[]): Kind {
  let rest = Math.random() * kinds.reduce((sum, kind) => sum + kind.weight, 0);
  return kinds.find((kind) => {
    rest -= kind.weight;
    return rest < 0;
  })!;
}
