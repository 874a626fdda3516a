/** Keys of an identity provider that have no effect without another one, or that weaken a login. */
interface Keys {
  readonly metadata?: string;
  readonly metadataCertificate?: string;
  readonly idpInitiated: boolean;
  readonly onMissingMfa: string;
  readonly reportOnly: boolean;
  readonly rolesAttribute?: string;
  readonly rolesMap: ReadonlyMap<string, string>;
}

/** Advice for operators about a key of an identity provider. */
interface Diagnostic {
  readonly key: string;
  /** A sentence without a full stop. */
  readonly what: string;
  readonly action: string;
}

export function diagnose(keys: Keys): readonly Diagnostic[] {
  const isRecordedOnly = keys.reportOnly && keys.onMissingMfa === 'deny';
  const found: readonly (Diagnostic | undefined)[] = [
    keys.metadata === undefined && keys.metadataCertificate !== undefined
      ? {
          key: 'metadata-certificate',
          what: 'It has no effect without metadata',
          action: 'Remove it, or set metadata.',
        }
      : undefined,
    keys.rolesMap.size > 0 && keys.rolesAttribute === undefined
      ? {
          key: 'roles.map',
          what: 'It assigns no roles without roles.attribute',
          action: 'Set roles.attribute, or remove the map.',
        }
      : undefined,
    keys.rolesAttribute !== undefined && keys.rolesMap.size === 0
      ? {
          key: 'roles.attribute',
          what: 'It assigns no roles without roles.map',
          action: 'Set roles.map for each value that assigns a role.',
        }
      : undefined,
    keys.idpInitiated
      ? {
          key: 'idp-initiated',
          what: 'Unsolicited responses allow an attacker to sign a browser in to another account',
          action: 'Let staff start at /saml/<name>/login, and set it to false.',
        }
      : undefined,
    isRecordedOnly
      ? {
          key: 'report-only',
          what: 'Logins without a second factor are accepted and only recorded',
          action: 'Set it to false once the events show no login that should be accepted.',
        }
      : undefined,
    keys.reportOnly && !isRecordedOnly
      ? {
          key: 'report-only',
          what: 'It has no effect unless on-missing-mfa is deny',
          action: 'Remove it, or set on-missing-mfa to deny.',
        }
      : undefined,
  ];
  return found.filter((diagnostic) => diagnostic !== undefined);
}
