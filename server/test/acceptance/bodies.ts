import type { Loose } from './mint-endpoints.ts';

/** Values that a field must reject: nothing is coerced, and null does not mean absent. */
const notText = [null, 5, true, ['en'], { text: 'en' }];
const notTag = [...notText, '', ' ', ' en', 'en ', 'en_US', 'e', 'x-pirate', 'und', 'english language'];
const notObject = [null, [], ['label'], 'label', '', 5, true, false];

/** A button of this many bytes as JSON text. */
const buttonOf = (bytes: number) => ({ label: 'x'.repeat(bytes - '{"label":""}'.length) });

export const largestButtons: object[] = [buttonOf(2048), { label: 'é'.repeat(1018) }, { a: [{ b: [] }] }];
const tooLargeButtons: object[] = [
  buttonOf(2049),
  { label: 'é'.repeat(1019) },
  { a: [{ b: [[]] }] },
  { a: { b: { c: { d: {} } } } },
];

/** A tag of 66 characters that is valid except for its length. */
const longTag = `en-x-${'abcdefgh-'.repeat(6)}abcdefg`;

type Wrong = [field: string, values: unknown[]];

const common: Wrong[] = [
  ['experienceId', [...notText, '', 'cafe', 'EXP_cafe', ' exp_cafe', 'exp']],
  ['locale', [...notTag, longTag]],
  ['secondaryLocale', [...notTag, longTag]],
  ['learningLocale', [...notTag, longTag]],
  ['mode', [...notText, '', 'Conversation', 'presenter ', 'listening']],
  ['speechInputMode', [...notText, '', 'AUTO', 'on', 'none']],
  ['speechOnly', [null, 'true', 'false', '', 0, 1, [], {}]],
  ['language', [...notText, '', 'EN', 'fr', 'en-US']],
  ['startButton', [...notObject, ...tooLargeButtons]],
];

const label = [...notText, '', 'u'.repeat(257)];

const serverOnly: Wrong[] = [
  ['closeButton', [...notObject, ...tooLargeButtons]],
  ['userId', label],
  ['processorId', label],
  ['integration', notObject],
];

const refusedReturnUrls: unknown[] = [
  ...notText,
  '',
  'lessons',
  '/lessons',
  '//app.example.com/lessons',
  'https://',
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  '\u0001javascript:alert(1)',
  ' https://app.example.com/',
  'https://app.example.com/\n',
  'ht\ttps://app.example.com/',
  'data:text/html,hello',
  'vbscript:msgbox',
  'blob:https://app.example.com/6f1d',
  'file:///etc/hosts',
  `https://app.example.com/${'a'.repeat(2048 - 24 + 1)}`,
];

export const acceptedReturnUrls: string[] = [
  'https://app.example.com/lessons?from=avatar#top',
  'http://localhost:3000/',
  'myapp://lessons/done',
  'mailto:team@example.com',
  'intent://lessons#Intent;scheme=myapp;end',
  `https://app.example.com/${'a'.repeat(2048 - 24)}`,
];

function cases(wrong: Wrong[]): [string, Loose, string][] {
  return wrong.flatMap(([field, values]) =>
    values.map((value): [string, Loose, string] => [`${field}: ${shown(value)}`, { [field]: value }, field]),
  );
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 30)}… (${text.length - 2} characters)` : text;
}

/** Cases with one invalid field: a name for the test, the field, and the path of the violation. */
export const wrongCommonFields = cases(common);
export const wrongServerFields: [string, Loose, string][] = [
  ...cases(serverOnly),
  ...refusedReturnUrls.map((value): [string, Loose, string] => [
    `integration.returnUrl: ${shown(value)}`,
    { integration: { returnUrl: value } },
    'integration.returnUrl',
  ]),
];

/** Fields of the server endpoint with values that it would reject. */
export const fieldsOfServers: [string, unknown][] = serverOnly.flatMap(([field, values]) =>
  values.map((value): [string, unknown] => [field, value]),
);

/** Valid values of the common fields, with the resulting fields of the session. */
export const rightCommonFields: [string, Loose, Loose][] = [
  ['locale', { locale: 'de-AT' }, { locale: 'de-AT' }],
  ['locale in another case', { locale: 'EN-us' }, { locale: 'en-US' }],
  ['an outdated tag', { locale: 'iw' }, { locale: 'he' }],
  ['secondaryLocale', { secondaryLocale: 'pt-PT' }, { locale: 'pt-PT' }],
  ['learningLocale', { learningLocale: 'pt-PT' }, { locale: 'pt-PT' }],
  ['mode conversation', { mode: 'conversation' }, { mode: 'conversation' }],
  ['mode presenter', { mode: 'presenter' }, { mode: 'presenter' }],
  ['speechInputMode auto', { speechInputMode: 'auto' }, { speechInputMode: 'auto' }],
  ['speechInputMode manual', { speechInputMode: 'manual' }, { speechInputMode: 'manual' }],
  ['speechInputMode off', { speechInputMode: 'off' }, { speechInputMode: 'off' }],
  ['speechOnly true', { speechOnly: true }, { speechOnly: true }],
  ['speechOnly false', { speechOnly: false }, { speechOnly: false }],
  ['language en', { language: 'en' }, { locale: 'en' }],
  ['language es', { language: 'es' }, { locale: 'es' }],
];

/** Nests objects or arrays `levels` deep. */
export function nested(levels: number, kind: 'object' | 'array' = 'object'): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < levels; level++) value = kind === 'object' ? { in: value } : [value];
  return value;
}

/** Bodies that are not JSON. */
export const notJson: [string, string | Buffer][] = [
  ['an empty body', ''],
  ['white space', ' \r\n\t'],
  ['a word', 'hello'],
  ['an unfinished object', '{"experienceId":"exp_cafe"'],
  ['a trailing comma', '{"experienceId":"exp_cafe",}'],
  ['single quotes', "{'experienceId':'exp_cafe'}"],
  ['a comment', '{"experienceId":"exp_cafe"} // launch'],
  ['two values', '{}{}'],
  ['NaN', '{"experienceId":NaN}'],
  ['a form', 'experienceId=exp_cafe'],
  ['a control character inside a text', '{"experienceId":"exp_\u0001"}'],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  ['a surrogate encoded as UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ['UTF-16', Buffer.from('{"experienceId":"exp_cafe"}', 'utf16le')],
  ['unfinished arrays, 60 000 deep', '['.repeat(60_000)],
];

/** JSON values that are not an object. */
export const notObjects: [string, string][] = [
  ['null', 'null'],
  ['true', 'true'],
  ['a number', '42'],
  ['a text', '"exp_cafe"'],
  ['an empty array', '[]'],
  ['an array with a request in it', '[{"experienceId":"exp_cafe"}]'],
];

/** JSON that has no canonical form or cannot be stored, by where it occurs; `EXP` is replaced by the experience id. */
export const unfitJson: [string, string][] = [
  ['33 levels in a free-form object', `{"experienceId":"EXP","startButton":${JSON.stringify(nested(33))}}`],
  ['33 levels in an unknown field', `{"experienceId":"EXP","theme":${JSON.stringify(nested(33))}}`],
  ['33 levels of arrays', `{"experienceId":"EXP","theme":${JSON.stringify(nested(33, 'array'))}}`],
  ['30 000 levels of arrays', `{"experienceId":"EXP","theme":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
  ['5 000 levels of objects', `{"experienceId":"EXP","theme":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`],
  ['a lone high surrogate', '{"experienceId":"EXP","startButton":{"label":"\\ud800"}}'],
  ['a lone low surrogate', '{"experienceId":"EXP","startButton":{"label":"a\\udc00b"}}'],
  ['a lone surrogate in an unknown field', '{"experienceId":"EXP","theme":"\\udfff"}'],
  ['a lone surrogate in a field name', '{"experienceId":"EXP","startButton":{"\\ud800":1}}'],
  ['a lone surrogate in the name of an unknown field', '{"experienceId":"EXP","\\ud800":1}'],
  ['NUL in a free-form object', '{"experienceId":"EXP","startButton":{"label":"a\\u0000b"}}'],
  ['NUL in a field name', '{"experienceId":"EXP","startButton":{"a\\u0000b":1}}'],
  ['NUL in an unknown field', '{"experienceId":"EXP","theme":["\\u0000"]}'],
  ['NUL in experienceId', '{"experienceId":"EXP\\u0000"}'],
  ['1e400', '{"experienceId":"EXP","startButton":{"size":1e400}}'],
  ['-1e400 in an unknown field', '{"experienceId":"EXP","theme":[[-1e400]]}'],
  ['a number of 400 digits', `{"experienceId":"EXP","startButton":{"size":${'9'.repeat(400)}}}`],
];

/** Unusual but valid bodies. */
export const oddButRight: [string, string | Buffer][] = [
  ['white space around the object', ' \r\n{ "experienceId" : "EXP" }\t\n'],
  ['a repeated field, of which the last one counts', '{"experienceId":"exp_other","experienceId":"EXP"}'],
  ['4 levels in a button', `{"experienceId":"EXP","startButton":${JSON.stringify(nested(4))}}`],
  ['32 levels in an unknown field', `{"experienceId":"EXP","theme":${JSON.stringify(nested(32, 'array'))}}`],
  ['escaped characters', '{"experience\\u0049d":"EXP"}'],
  ['a surrogate pair', '{"experienceId":"EXP","startButton":{"label":"\\ud83d\\ude00 😀"}}'],
  ['a very large number', '{"experienceId":"EXP","startButton":{"size":1e308}}'],
  ['__proto__ as a field', '{"experienceId":"EXP","__proto__":{"speechOnly":"yes","userId":5}}'],
  ['__proto__ inside a free-form object', '{"experienceId":"EXP","startButton":{"__proto__":{"label":"x"}}}'],
  ['names of inherited properties', '{"experienceId":"EXP","constructor":1,"toString":2,"hasOwnProperty":3}'],
  ['an empty field name', '{"experienceId":"EXP","":1}'],
];

export function forExperience(body: string | Buffer, experienceId: string): string | Buffer {
  return typeof body === 'string' ? body.replaceAll('EXP', experienceId) : body;
}

/** A valid body with a length of `bytes` bytes. */
export function bodyOf(bytes: number, experienceId: string): string {
  const text = JSON.stringify({ experienceId, theme: '' });
  return text.replace('""', `"${'x'.repeat(bytes - text.length)}"`);
}

export const jsonMediaTypes = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'Application/JSON',
  'application/json ; charset="utf-8"',
];

/** Media types other than JSON, and invalid media types. */
export const otherMediaTypes = [
  'text/plain',
  'text/plain;charset=UTF-8',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'application/jsonp',
  'text/html; application/json',
  'json',
  '*/*',
  ';;;',
  '/',
  '',
];
