/** The otpauth URI as a picture; the package is loaded with the first one, so that a start need not wait for it. */
export async function qrSvg(uri: string): Promise<string> {
  const { default: qrcode } = await import('qrcode');
  return qrcode.toString(uri, { type: 'svg' });
}

export async function qrPng(uri: string): Promise<Buffer> {
  const { default: qrcode } = await import('qrcode');
  return qrcode.toBuffer(uri, { type: 'png', scale: 6 });
}
