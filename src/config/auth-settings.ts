// The `auth:` part of the config file, as it was written. http/auth builds its
// authenticator from it and checks names, hashes and permissions.

export interface AuthSettings {
  readonly users: readonly UserSetting[];
  readonly roles: readonly RoleSetting[];
  readonly apiKeys: readonly ApiKeySetting[];
  readonly jwt: JwtSetting | undefined;
}

interface Grants {
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
}

export interface UserSetting extends Grants {
  readonly name: string;
  readonly passwordHash: string;
}

export interface RoleSetting {
  readonly name: string;
  readonly permissions: readonly string[];
}

export interface ApiKeySetting extends Grants {
  readonly name: string;
  readonly hash: string;
  /** ISO 8601. */
  readonly expires: string | undefined;
}

export interface JwtSetting {
  readonly issuer: string;
  readonly audience: string;
  /** Exactly one of the three is set; `keyText` is the content of a key file. */
  readonly jwksUrl: string | undefined;
  readonly keyFile: string | undefined;
  readonly keyText: string | undefined;
  readonly algorithms: readonly string[];
  readonly clockToleranceSeconds: number;
  /** Dots separate nested claims. */
  readonly rolesClaim: string;
  readonly permissionsClaim: string;
}
