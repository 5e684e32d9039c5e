import { artSchema } from '@session-launch/contract/admin/art';
import { contract } from '@session-launch/testing/contract.ts';
import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { blockRunBy, blocksRunBy } from '../harness/doc-blocks.ts';

test('every JSON block that names this file is checked', () => {
  expect(blocksRunBy(import.meta.url)).toHaveLength(2);
});

test('the picture of the page about art has the fields of the contract', () => {
  const picture = JSON.parse(blockRunBy(import.meta.url, 'docs/art.md'));
  expect([...Value.Errors(artSchema, picture)]).toEqual([]);
  expect(Object.keys(artSchema.properties)).toEqual(expect.arrayContaining(Object.keys(picture)));
});

test('the error of the contract page has the fields of every error', () => {
  const { error } = JSON.parse(blockRunBy(import.meta.url, 'docs/contract.md'));
  expect(Object.keys(error)).toEqual(['code', 'message', 'details', 'requestId']);
  expect(Object.keys(contract.components.schemas.Error.properties.error.properties).sort()).toEqual(
    Object.keys(error).sort(),
  );
});
