import { processTimeZone } from '../config/process-inputs.js';
import type { Rule } from '../config/rule.js';
import { UserProperties } from '../config/user.properties.js';
import { DatasourceProperties } from '../persistence/datasource.properties.js';
import { JsonProperties } from '../server/json.properties.js';

const NAMES_OF_UTC = ['UTC', 'GMT', 'Etc/UTC', 'Etc/GMT', '+00:00'];

/** The zones of the process, of JSON and, where its URL states one, of the database are one (specification, "Upload, JSON, encoding"). */
export const equalTimeZones: Rule = (facts) => {
  const ofProcess = facts.get(UserProperties).timezone ?? processTimeZone();
  const ofJson = facts.get(JsonProperties).timeZone;
  const ofDatabase = zoneInUrl(facts.get(DatasourceProperties).url);
  if (sameZone(ofProcess, ofJson) && (ofDatabase === undefined || sameZone(ofDatabase, ofJson))) return [];
  const zones = [
    `process ${ofProcess}`,
    `app.json.time-zone ${ofJson} (${facts.originOf('app.json.time-zone')})`,
    ...(ofDatabase === undefined ? [] : [`database ${ofDatabase} (${facts.originOf('app.datasource.url')})`]),
  ];
  const advice = `make them equal, e.g. by -Duser.timezone=${ofJson}`;
  return [{ rule: 'time zone', severity: 'breach', text: `${zones.join(', ')}: ${advice}` }];
};

function zoneInUrl(url: string): string | undefined {
  const stated = /[?&](?:serverTimezone|connectionTimeZone)=([^&]*)/i.exec(url)?.[1];
  // A URL with a broken escape is refused where it is used.
  return stated === undefined || /%(?![\da-f]{2})/i.test(stated) ? undefined : decodeURIComponent(stated);
}

function sameZone(one: string, other: string): boolean {
  return canonicalZone(one) === canonicalZone(other);
}

function canonicalZone(zone: string): string {
  try {
    const known = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
    return NAMES_OF_UTC.includes(known) ? 'UTC' : known;
  } catch {
    return zone;
  }
}
