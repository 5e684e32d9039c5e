import type { Static } from 'typebox';
import { timestamp } from '../fields.ts';
import { jsonAnswer, type Operation } from '../operation.ts';
import Type from '../type.ts';
import { always } from './errors.ts';

export const tag = { name: 'Operation', description: 'Status, metrics and this document.' };

export const statusSchema = Type.Object(
  {
    version: Type.String({ description: 'Version of the program.', examples: ['0.2.0'] }),
    engine: Type.Enum(['embedded', 'postgres'], { description: 'The database engine.' }),
    database: Type.String({ description: '`ok`, or why the database is unavailable.', examples: ['ok'] }),
    time: timestamp('Current time of the service.'),
    publicUrl: Type.String({
      description: 'Public URL of the service.',
      examples: ['https://launch.example.com'],
    }),
  },
  { $id: 'Status', description: 'Version and health of the service.' },
);

export type ServiceStatus = Static<typeof statusSchema>;

export const statusOperation = {
  operationId: 'getStatus',
  method: 'get',
  path: '/admin/status',
  tag,
  summary: 'Read the status of the service',
  description: 'For operators and for `session-launch doctor`.',
  caller: 'operator',
  permission: 'read',
  answers: {
    200: jsonAnswer('The status.', statusSchema, {
      well: {
        value: {
          version: '0.2.0',
          engine: 'postgres',
          database: 'ok',
          time: '2026-03-01T09:30:00.000Z',
          publicUrl: 'https://launch.example.com',
        },
      },
    }),
  },
} satisfies Operation;

export const metricsOperation = {
  operationId: 'getMetrics',
  method: 'get',
  path: '/metrics',
  tag,
  summary: 'Read the metrics',
  description:
    'In the text format of Prometheus. docs/metrics.md explains each metric. Accepts `METRICS_TOKEN`, the admin token and the token of any operator.',
  caller: 'metrics-token',
  answers: {
    200: {
      description: 'The metrics.',
      bodies: {
        'text/plain': {
          schema: Type.String(),
          examples: { some: { value: 'session_launch_queue_length 0\n' } },
        },
      },
    },
  },
  errors: always,
} satisfies Operation;

export const documentOperation = {
  operationId: 'getAdminDocument',
  method: 'get',
  path: '/admin/openapi.json',
  tag,
  summary: 'Read this document',
  description: 'The contract of the admin API, as OpenAPI 3.1.',
  caller: 'operator',
  permission: 'read',
  answers: {
    200: jsonAnswer('The document.', Type.Object({}, { additionalProperties: true }), {
      beginning: { value: { openapi: '3.1.0' } },
    }),
  },
} satisfies Operation;

export const operations: readonly Operation[] = [statusOperation, metricsOperation, documentOperation];
