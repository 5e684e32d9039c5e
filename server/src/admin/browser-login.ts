import { addressOf, networkOf } from '@session-launch/process/client-address';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Client } from '../limits/client-address.ts';
import { loginMs } from '../operators/authenticate.ts';
import { type Access, cookieOf, setCookie } from '../operators/console-site.ts';
import type { SignInRequest } from '../operators/sign-in.ts';
import type { AdminDeps } from './deps.ts';

export async function signInRequest(
  { authenticator, trustProxy }: AdminDeps,
  { raw, headers, id }: FastifyRequest,
  access: Access,
  via: SignInRequest['via'],
): Promise<SignInRequest> {
  const earlier = cookieOf(headers, access.cookie);
  const caller = earlier && (await authenticator.byCookie(earlier, new Client(raw, trustProxy)));
  return {
    via,
    replaces: caller ? caller.login?.loginId : undefined,
    network: networkOf(raw, trustProxy),
    address: addressOf(raw, trustProxy),
    agent: headers['user-agent'] ?? '',
    requestId: id,
  };
}

/** Sets the cookie of the console; without a value, deletes it. */
export function giveCookie(reply: FastifyReply, access: Access, value: string | undefined): void {
  const attributes = { maxAgeSeconds: loginMs / 1000, sameSite: 'Strict' } as const;
  reply.header('Set-Cookie', setCookie(access, access.cookie, value, attributes));
}
