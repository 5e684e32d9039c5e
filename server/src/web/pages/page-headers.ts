import type { FastifyReply } from 'fastify';

/** Content security policy: the page's own files and the given connections, nothing else. */
export const strictPolicy = (connect: readonly string[] = ["'self'"]) =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src ${connect.join(' ')}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;

/** Headers of a web page: its window is isolated from pages of other origins, which cannot load it as a subresource either. */
export const pageHeaders = (policy: string) => ({
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
});

export function sendPage(reply: FastifyReply, policy: string, page: string): FastifyReply {
  return reply
    .headers({ ...pageHeaders(policy), 'Cache-Control': 'no-cache' })
    .type('text/html; charset=utf-8')
    .send(page);
}
