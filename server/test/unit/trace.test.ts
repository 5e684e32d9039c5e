import { expect, test } from 'vitest';
import { requestFields, traceIdOf } from '../../src/observe/trace.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';

test.each([
  ['version 00', `00-${traceId}-${parentId}-01`],
  ['flags that are not set', `00-${traceId}-${parentId}-00`],
  ['a later version', `01-${traceId}-${parentId}-01`],
  ['a later version with further fields', `cc-${traceId}-${parentId}-01-what.comes.later`],
])('the trace id is read from %s', (_, header) => {
  expect(traceIdOf({ traceparent: header })).toBe(traceId);
  expect(requestFields({ id: 'req_1', headers: { traceparent: header } })).toEqual({
    reqId: 'req_1',
    traceId,
  });
});

test.each([
  ['no header', undefined],
  ['an empty header', ''],
  ['version ff', `ff-${traceId}-${parentId}-01`],
  ['version 00 with further fields', `00-${traceId}-${parentId}-01-more`],
  ['upper-case digits', `00-${traceId.toUpperCase()}-${parentId}-01`],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-${parentId}-01`],
  ['a parent id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['a short trace id', `00-${traceId.slice(1)}-${parentId}-01`],
  ['a repeated header', `00-${traceId}-${parentId}-01, 00-${traceId}-${parentId}-01`],
  ['a quotation mark', `00-${traceId}-${parentId}-01-","level":"fatal`],
])('%s has no trace id', (_, header) => {
  expect(
    requestFields({ id: 'req_1', headers: header === undefined ? {} : { traceparent: header } }),
  ).toEqual({
    reqId: 'req_1',
  });
});
