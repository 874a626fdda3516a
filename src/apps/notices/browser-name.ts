/** A browser and its operating system, in words of this file only: `User-Agent` is input of a caller. */
export interface BrowserName {
  readonly browser?: string;
  readonly system?: string;
}

/** In the order in which they are asked: Edge and Opera also name Chrome, and all of them Safari. */
const BROWSERS: readonly (readonly [form: RegExp, name: string])[] = [
  [/\bEdgA?\/\d|\bEdgiOS\/\d/, 'Microsoft Edge'],
  [/\bOPR\/\d/, 'Opera'],
  [/\bSamsungBrowser\/\d/, 'Samsung Internet'],
  [/\bWhale\/\d/, 'Whale'],
  [/\b(?:Firefox|FxiOS)\/\d/, 'Firefox'],
  [/\b(?:Chrome|CriOS)\/\d/, 'Chrome'],
  [/\bVersion\/[\d.]+ .*\bSafari\/\d/, 'Safari'],
  [/^curl\/\d/, 'curl'],
];

/** An iPhone also names Mac OS X, and Android also names Linux. */
const SYSTEMS: typeof BROWSERS = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows NT\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

export function browserNameOf(agent: string): BrowserName {
  const [browser, system] = [nameIn(BROWSERS, agent), nameIn(SYSTEMS, agent)];
  return { ...(browser !== undefined && { browser }), ...(system !== undefined && { system }) };
}

function nameIn(names: typeof BROWSERS, agent: string): string | undefined {
  return names.find(([form]) => form.test(agent))?.[1];
}
