// JWT bearer tokens. The algorithms are pinned to the configured ones, which are all asymmetric: an
// unsigned token, or one signed with a public key as the secret, is refused. Issuer, audience and
// expiry are required and checked.

import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  importSPKI,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import type { JwtSetting } from '../../config/auth-settings.ts';
import { authUnavailable } from '../errors.ts';

export const TOKEN_ALGORITHMS: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
];

const JWKS_TIMEOUT_MS = 5_000;

export interface VerifiedToken {
  readonly subject: string;
  readonly claims: JWTPayload;
  readonly expiresMs: number;
}

/** For the log only: `reason` says why the token was refused, without quoting any of it. */
export interface RefusedToken {
  readonly reason: string;
}

export type VerifyToken = (token: string, nowMs: number) => Promise<VerifiedToken | RefusedToken>;

/** `keyText` is the content of the key file: a PEM public key, or a JWKS. */
export async function createTokenVerifier(
  setting: JwtSetting,
  keyText: string | undefined,
): Promise<VerifyToken> {
  const getKey = await createGetKey(setting, keyText);
  const { algorithms, audience, clockToleranceSeconds, issuer } = setting;
  return async (token, nowMs) => {
    try {
      const { payload } = await jwtVerify(token, getKey, {
        algorithms: [...algorithms],
        audience,
        issuer,
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(nowMs),
        requiredClaims: ['exp'],
      });
      const expiresMs = ((payload.exp ?? 0) + clockToleranceSeconds) * 1000;
      return { subject: payload.sub ?? 'token', claims: payload, expiresMs };
    } catch (error) {
      if (isAboutToken(error)) return { reason: explain(error) };
      throw authUnavailable(error);
    }
  };
}

/** Throws the error of jose or JSON when the text is not a key. */
async function createGetKey(
  { algorithms, jwksUrl }: JwtSetting,
  keyText: string | undefined,
): Promise<JWTVerifyGetKey> {
  if (keyText === undefined) {
    return createRemoteJWKSet(new URL(jwksUrl ?? ''), { timeoutDuration: JWKS_TIMEOUT_MS });
  }
  if (!keyText.trimStart().startsWith('-----')) {
    // `createLocalJWKSet` checks it, and refuses anything that is not a JWKS.
    return createLocalJWKSet(JSON.parse(keyText) as JSONWebKeySet);
  }
  const byAlgorithm = new Map(
    await Promise.all(
      algorithms.map(
        async (algorithm) => [algorithm, await importSPKI(keyText, algorithm)] as const,
      ),
    ),
  );
  return ({ alg }) => {
    const key = byAlgorithm.get(alg);
    if (key === undefined) throw new errors.JOSEAlgNotAllowed('The algorithm is not allowed');
    return key;
  };
}

/** Fixed words per kind of failure: messages of the library may quote the token. */
function explain(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'the token has expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    const claim = CLAIMS.find((name) => name === error.claim) ?? 'a claim';
    if (error.claim === 'nbf') return 'the token is not valid yet';
    return error.reason === 'missing' ? `the token has no ${claim}` : `${claim} does not fit`;
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return 'the algorithm is not allowed';
  if (error instanceof errors.JWKSNoMatchingKey) return 'no key has the kid of the token';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'the signature is wrong';
  return 'it is not a JWT';
}

const CLAIMS: readonly string[] = ['iss', 'aud', 'exp', 'nbf', 'iat', 'sub'];

/** Otherwise the keys could not be fetched, and the token may be valid. */
function isAboutToken(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  // jose reports a failed fetch as a plain JOSEError; every fault of a token has its own class.
  if (error instanceof errors.JOSEError) return error.constructor !== errors.JOSEError;
  // A key of another kind than the algorithm needs.
  return error instanceof TypeError && !('cause' in error);
}
