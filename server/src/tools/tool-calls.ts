import { toolBounds } from '@session-launch/contract/project-file/tools';
import type { ToolCallResult, ToolOutcome } from '@session-launch/contract/runtime/lifecycle';
import { type Outbound, OutboundError, type OutboundResponse } from '../outbound/outbound.ts';
import { signatureHeaders } from '../outbound/signature.ts';
import { newId } from '../primitives/ids.ts';
import type { Database } from '../store/database.ts';
import type { SigningKeys } from '../tokens/signing-keys.ts';
import { argumentProblem } from './parameters.ts';
import { findSecrets, signingSecrets } from './secrets.ts';

/** A call of a tool for a session. */
export interface ToolCall {
  projectId: string;
  sessionId: string;
  userId: string | null;
  tool: { name: string; url: string; parameters?: Record<string, unknown> | undefined };
  arguments: Record<string, unknown>;
}

/** The result of a call, with what was sent and received. */
export interface ToolExchange extends ToolCallResult {
  milliseconds: number;
  /** Absent if nothing was sent. */
  request?: { headers: Record<string, string>; body: string };
  /** Absent if there was none. */
  response?: OutboundResponse;
}

export interface ToolCallDeps {
  database: Database;
  outbound: Pick<Outbound, 'send'>;
  signingKeys: SigningKeys;
  userAgent: string;
  /** Counts a call. */
  called(outcome: ToolOutcome, seconds: number): void;
  /** For tests: limits of time and of calls in progress. */
  limits?: Partial<Limits>;
}

interface Limits {
  timeoutMs: number;
  /**
   * Maximum calls in progress in this process, of one project, and of one session, which may interrupt turns whose calls go on. Further calls
   * fail at once, so that they do not wait for hanging tools.
   */
  inFlight: number;
  inFlightOfProject: number;
  inFlightOfSession: number;
}

const standard: Limits = {
  timeoutMs: toolBounds.seconds * 1000,
  inFlight: 200,
  inFlightOfProject: 100,
  inFlightOfSession: 2 * toolBounds.callsPerTurn,
};

/** Calls tools: requests to addresses in experiences. */
export class ToolCalls {
  readonly #deps: ToolCallDeps;
  readonly #limits: Limits;
  /** Calls in progress by id of the project or session. */
  readonly #inFlight = new Map<string, number>();
  #total = 0;

  constructor(deps: ToolCallDeps) {
    this.#deps = deps;
    this.#limits = { ...standard, ...deps.limits };
  }

  async call(call: ToolCall): Promise<ToolExchange> {
    const startedAt = performance.now();
    const exchange = await this.#attempt(call);
    const milliseconds = Math.round(performance.now() - startedAt);
    this.#deps.called(exchange.outcome, milliseconds / 1000);
    return { ...exchange, milliseconds };
  }

  async #attempt(call: ToolCall): Promise<Omit<ToolExchange, 'milliseconds'>> {
    const problem = argumentProblem(call.tool.parameters, call.arguments);
    if (problem !== undefined)
      return { outcome: 'invalid', output: `The arguments are not valid: ${problem}` };
    const { projectId, sessionId } = call;
    const { inFlight, inFlightOfProject, inFlightOfSession } = this.#limits;
    const of = (id: string) => this.#inFlight.get(id) ?? 0;
    if (this.#total >= inFlight || of(projectId) >= inFlightOfProject || of(sessionId) >= inFlightOfSession)
      return { outcome: 'busy', output: 'Too many calls are in progress. Try again later.' };
    this.#count(call, 1);
    try {
      return await this.#send(call);
    } finally {
      this.#count(call, -1);
    }
  }

  /** Counts a call that begins (1) or ends (-1). */
  #count({ projectId, sessionId }: ToolCall, change: 1 | -1): void {
    this.#total += change;
    for (const id of [projectId, sessionId]) {
      const count = (this.#inFlight.get(id) ?? 0) + change;
      if (count === 0) this.#inFlight.delete(id);
      else this.#inFlight.set(id, count);
    }
  }

  async #send(call: ToolCall): Promise<Omit<ToolExchange, 'milliseconds'>> {
    const { database, outbound, signingKeys, userAgent } = this.#deps;
    const { projectId, sessionId, userId, tool } = call;
    const body = JSON.stringify({
      sessionId,
      ...(userId === null ? {} : { userId }),
      name: tool.name,
      arguments: call.arguments,
    });
    const sentAt = new Date();
    const secrets = signingSecrets(signingKeys, projectId, await findSecrets(database, projectId), sentAt);
    const id = newId('tcl');
    const headers = {
      'content-type': 'application/json',
      'user-agent': userAgent,
      ...(secrets.length === 0 ? { 'webhook-id': id } : signatureHeaders({ id, sentAt, body }, secrets)),
    };
    const request = { headers, body };
    try {
      const response = await outbound.send({
        ...{ method: 'POST', url: tool.url, headers, body },
        timeoutMs: this.#limits.timeoutMs,
        maxResponseBytes: toolBounds.responseBytes,
      });
      return { ...resultOf(response), request, response };
    } catch (error) {
      if (!(error instanceof OutboundError) || error.failure === 'aborted') throw error;
      const { failure } = error;
      return { ...failures[failure], ...(failure === 'forbidden' ? {} : { request }) };
    }
  }
}

/** Without the messages of the errors, which may name hosts of the network of this service. */
const failures: Record<'forbidden' | 'timeout' | 'network', ToolCallResult> = {
  forbidden: {
    outcome: 'forbidden',
    output: 'The address of the tool is not allowed, so nothing was sent.',
  },
  timeout: {
    outcome: 'timeout',
    output: `The tool did not answer within ${toolBounds.seconds} seconds. It may have done its work or not.`,
  },
  network: { outcome: 'network', output: 'The tool could not be reached.' },
};

function resultOf({ status, body, isTruncated }: OutboundResponse): ToolCallResult {
  if (isTruncated)
    return {
      outcome: 'too_big',
      output: `The tool has answered with status ${status} and more than ${toolBounds.responseBytes / 1024} KiB, which cannot be read.`,
    };
  const text = new TextDecoder().decode(body);
  if (status >= 200 && status < 300) return { outcome: 'done', output: text };
  return {
    outcome: 'status',
    output: `The tool has answered with status ${status}${text === '' ? '.' : `: ${text}`}`,
  };
}
