import type { Static } from 'typebox';
import { optional } from './fields.ts';
import { cacheable } from './headers.ts';
import { jsonAnswer, type Operation } from './operation.ts';
import Type from './type.ts';
import { tokenAudience } from './wire.ts';

const tag = { name: 'Verification', description: 'Public keys for verifying session tokens.' };

export { tokenAudience } from './wire.ts';

export const sessionClaimsSchema = Type.Object(
  {
    iss: Type.String({ description: 'Public URL of the service that minted the session.' }),
    aud: Type.Literal(tokenAudience),
    sub: Type.String({ description: 'The session id; equal to `jti`.' }),
    jti: Type.String(),
    iat: Type.Integer(),
    exp: Type.Integer(),
    projectId: Type.String(),
    experienceId: Type.String(),
    revision: Type.Integer(),
    livemode: Type.Boolean(),
    origin: optional.string({ description: 'Origin of the page, for sessions that a browser minted.' }),
  },
  { $id: 'SessionClaims', description: 'The claims of a session token.' },
);

export type SessionClaims = Static<typeof sessionClaimsSchema>;

const jsonWebKey = Type.Object(
  {
    kty: Type.String({ description: 'Key type: OKP.' }),
    crv: Type.String({ description: 'Curve: Ed25519.' }),
    x: Type.String({ description: 'The public key, base64url.' }),
    kid: Type.String({ description: 'Key id; session tokens carry it in their header.' }),
    use: Type.String({ description: 'sig: the key verifies signatures.' }),
    alg: Type.String({ description: 'EdDSA.' }),
  },
  { description: 'One public key.' },
);

export const jsonWebKeySetSchema = Type.Object(
  {
    keys: Type.Array(jsonWebKey, { minItems: 1, description: 'The signing key first, then the others.' }),
  },
  { $id: 'JsonWebKeySet', description: 'The public keys that verify session tokens.' },
);

export type JsonWebKeySet = Static<typeof jsonWebKeySetSchema>;

const exampleKeySet = {
  keys: [
    {
      kty: 'OKP',
      crv: 'Ed25519',
      x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
      kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
      use: 'sig',
      alg: 'EdDSA',
    },
  ],
};

export const keySetOperation: Operation = {
  operationId: 'getJwks',
  method: 'get',
  path: '/.well-known/jwks.json',
  tag,
  summary: 'Read the public keys of session tokens',
  description:
    'For runtimes that receive session tokens: verify a token with the key that its `kid` names, accept only `EdDSA`, and check that `aud` is `session-runtime` and `iss` is this service.',
  caller: 'anyone',
  answers: {
    200: jsonAnswer(
      'A JSON Web Key Set.',
      jsonWebKeySetSchema,
      { keys: { summary: 'One key', value: exampleKeySet } },
      cacheable,
    ),
  },
  errors: [],
};
