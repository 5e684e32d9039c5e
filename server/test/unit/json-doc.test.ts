import { artSchema } from '@session-launch/contract/admin/art';
import { pictureRigSchema } from '@session-launch/contract/rig';
import { contract } from '@session-launch/testing/contract.ts';
import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { isPictureRig } from '../../../sdk/browser/src/renderers/picture/points.ts';
import { blockRunBy, blocksRunBy } from '../harness/doc-blocks.ts';

test('every JSON block that names this file is checked', () => {
  expect(blocksRunBy(import.meta.url)).toHaveLength(3);
});

test('the picture of the page about art has the fields of the contract', () => {
  const picture = JSON.parse(blockRunBy(import.meta.url, 'docs/art.md', 'artId'));
  expect([...Value.Errors(artSchema, picture)]).toEqual([]);
  expect(Object.keys(artSchema.properties)).toEqual(expect.arrayContaining(Object.keys(picture)));
});

test('the rig of a picture on the page about art is one of the contract, and of the browser SDK', () => {
  const rig = JSON.parse(blockRunBy(import.meta.url, 'docs/art.md', '"rig"'));
  expect([...Value.Errors(pictureRigSchema, rig)]).toEqual([]);
  expect(Object.keys(rig)).toEqual(Object.keys(pictureRigSchema.properties));
  expect(isPictureRig(rig)).toBe(true);
});

test('the error of the contract page has the fields of every error', () => {
  const { error } = JSON.parse(blockRunBy(import.meta.url, 'docs/contract.md'));
  expect(Object.keys(error)).toEqual(['code', 'message', 'details', 'requestId']);
  expect(Object.keys(contract.components.schemas.Error.properties.error.properties).sort()).toEqual(
    Object.keys(error).sort(),
  );
});
