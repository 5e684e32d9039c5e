import type { Static } from 'typebox';
import { timestamp } from '../fields.ts';
import { jsonAnswer, type Operation } from '../operation.ts';
import Type from '../type.ts';
import { tag } from './status.ts';

export const doctorSchema = Type.Object(
  {
    ok: Type.Boolean({ description: 'False if a check failed.' }),
    findings: Type.Array(
      Type.Object(
        {
          check: Type.String({ description: 'The check.', examples: ['database'] }),
          status: Type.Enum(['ok', 'warn', 'fail'], { description: 'Its result.' }),
          message: Type.String({ description: 'What was found.' }),
          todo: Type.Optional(Type.String({ description: 'How to fix it. Absent if the result is ok.' })),
        },
        { description: 'The result of one check.' },
      ),
      { description: 'In the order of the checks.' },
    ),
  },
  { $id: 'Doctor', description: 'The checks of this process.' },
);

export type Doctor = Static<typeof doctorSchema>;

export const doctorOperation = {
  operationId: 'getDoctor',
  method: 'get',
  path: '/admin/doctor',
  tag,
  summary: 'Check the service',
  description:
    'Runs the checks of `session-launch doctor` in the process that handles the request: configuration, data folder, database, signing keys, clock, asset folder and engines. A result is reused for five seconds. Operators who are limited to projects may not call it.',
  caller: 'operator',
  permission: 'manage-service',
  isOfService: true,
  answers: {
    200: jsonAnswer('The findings.', doctorSchema, {
      warning: {
        value: {
          ok: true,
          findings: [
            { check: 'database', status: 'ok', message: 'PostgreSQL 17.2, clocks 1 ms apart' },
            {
              check: 'asset folder',
              status: 'warn',
              message: '/srv/assets has no locations/',
              todo: 'set ASSETS_DIR to a folder that holds avatars/ and locations/',
            },
          ],
        },
      },
    }),
  },
} satisfies Operation;

export const signingKeyListSchema = Type.Object(
  {
    keys: Type.Array(
      Type.Object(
        {
          kid: Type.String({ description: 'Id of the key, as in the header of a token.' }),
          signs: Type.Boolean({ description: 'Whether it signs new tokens. The others only verify tokens.' }),
          since: timestamp(
            'When the key was created: its `iat`. For a key without `iat`, when the key file was last changed.',
          ),
        },
        { description: 'A key without its private part.' },
      ),
      { description: 'In the order of the key file; the first one signs.' },
    ),
  },
  { $id: 'SigningKeyList', description: 'The keys that sign session tokens.' },
);

export type SigningKeyList = Static<typeof signingKeyListSchema>;

export const signingKeysOperation = {
  operationId: 'listSigningKeys',
  method: 'get',
  path: '/admin/signing-keys',
  tag,
  summary: 'List the signing keys',
  description:
    'The keys that the process which handles the request read at its start. Operators who are limited to projects may not call it.',
  caller: 'operator',
  permission: 'manage-service',
  isOfService: true,
  answers: {
    200: jsonAnswer('The keys.', signingKeyListSchema, {
      one: { value: { keys: [{ kid: 'k1', signs: true, since: '2026-03-01T09:30:00.000Z' }] } },
    }),
  },
} satisfies Operation;

export const eventsOperation = {
  operationId: 'streamEvents',
  method: 'get',
  path: '/admin/events',
  tag,
  summary: 'Follow changes',
  description: [
    'A stream of server-sent events:',
    '- `change`: `{kind, id, projectId?, version?, by?}`. Something was changed through the admin API, on any process.\n- `session`: `{sessionId, status}`. The status of a session has changed. Events of one session within a second are combined into the latest; at most 200 are sent per second, and further ones are dropped.\n- `tally`: `{}`, every ten seconds. Counts may have changed.',
    'A comment is sent every 15 seconds. Nothing is sent again: after a reconnect, read the state anew. An operator limited to projects receives only the events of those projects. A stream ends when the operator or the login is removed or changed, when the process stops, or when the client reads too slowly. At most four streams are open for a login or a token, and 24 per process; further requests get 503 `TOO_MANY_STREAMS`. If all 24 are open, a request of an operator with fewer streams ends the oldest stream of the operator with most; a request of an owner without a stream can also end the only stream of an operator who is not an owner.',
  ].join('\n\n'),
  caller: 'operator',
  isStream: true,
  permission: 'read',
  answers: {
    200: {
      description: 'The stream.',
      bodies: {
        'text/event-stream': {
          schema: Type.String(),
          examples: {
            change: {
              value: 'event: change\ndata: {"kind":"key","id":"key_01kb2x7m9d","projectId":"prj_demo"}\n\n',
            },
          },
        },
      },
    },
  },
  errors: ['TOO_MANY_STREAMS'],
} satisfies Operation;

export const operations: readonly Operation[] = [doctorOperation, signingKeysOperation, eventsOperation];
