/** Keys that do nothing without another one, or take something away. */
interface Keys {
  readonly metadata?: string;
  readonly metadataCertificate?: string;
  readonly idpInitiated: boolean;
  readonly onMissingMfa: string;
  readonly reportOnly: boolean;
  readonly rolesAttribute?: string;
  readonly rolesMap: ReadonlyMap<string, string>;
}

/** What an operator should know about a key below the name of an identity provider. */
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
          what: 'Nobody gets a role by it without roles.attribute',
          action: 'Set roles.attribute, or remove the map.',
        }
      : undefined,
    keys.rolesAttribute !== undefined && keys.rolesMap.size === 0
      ? {
          key: 'roles.attribute',
          what: 'Nobody gets a role by it without roles.map',
          action: 'Set roles.map for each of its values that stands for a role.',
        }
      : undefined,
    keys.idpInitiated
      ? {
          key: 'idp-initiated',
          what: 'Logins that nobody here asked for can sign a browser in as somebody else',
          action: 'Let staff begin at /saml/<name>/login, and set it to false.',
        }
      : undefined,
    isRecordedOnly
      ? {
          key: 'report-only',
          what: 'Logins without a second factor pass while they are only recorded',
          action: 'Set it to false once the events name nobody who should pass.',
        }
      : undefined,
    keys.reportOnly && !isRecordedOnly
      ? {
          key: 'report-only',
          what: 'It has an effect with on-missing-mfa=deny alone',
          action: 'Remove it, or set on-missing-mfa to deny.',
        }
      : undefined,
  ];
  return found.filter((advice) => advice !== undefined);
}
