const FEATURES = [
  'accelerometer',
  'camera',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'payment',
  'usb',
];

/** Headers of every answer (http-api sections 1, 9 and 10); a route may set its own values, an error takes these. */
export const DEFAULT_HEADERS: Readonly<Record<string, string>> = {
  'api-version': '1',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': FEATURES.map((feature) => `${feature}=()`).join(', '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** A year, on https only: over plain http browsers ignore it (RFC 6797 section 8.1). */
export const STRICT_TRANSPORT = 'max-age=31536000; includeSubDomains';
