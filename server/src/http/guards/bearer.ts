import { bearerCheck } from '@session-launch/process/bearer-token';
import { ApiError } from '../../primitives/errors.ts';

/** Returns a check that throws unless the header holds one of these tokens. */
export function requireBearer(
  tokens: string | readonly string[],
  refusal: 'ADMIN_TOKEN_INVALID' | 'RUNTIME_TOKEN_INVALID',
): (authorization: string | undefined) => void {
  const isToken = bearerCheck([tokens].flat());
  return (authorization) => {
    if (!isToken(authorization)) throw new ApiError(refusal, { headers: { 'WWW-Authenticate': 'Bearer' } });
  };
}
