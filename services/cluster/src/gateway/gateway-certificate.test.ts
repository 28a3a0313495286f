import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import { FakeClock, silentLog } from '@quartermaster/kernel';
import { Health, type Logger, selfSignedTls } from '@quartermaster/service';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { gatewayCertificate } from './gateway-certificate.ts';
import { type GatewaySettings, gatewaySettings } from './gateway-settings.ts';

const clock = new FakeClock(Date.now());

async function certificateWith(settings: object) {
  const health = new Health({ clock });
  const config: GatewaySettings = z.object(gatewaySettings).parse(settings);
  const keep = (_name: string, stop: () => unknown): void => onTestFinished(() => void stop());
  return { health, certificate: await gatewayCertificate({ config, clock, log: silentLog as Logger, health, keep }) };
}

/** A certificate that ends in a week, with its key. */
async function filesOf(): Promise<{ readonly folder: string; readonly cert: string; readonly key: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-certificate-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const made = await selfSignedTls({ commonName: 'gateway', clock });
  const { cert, key } = made.serverOptions() as { readonly cert: string; readonly key: string };
  await made.close();
  await writeFile(join(folder, 'tls.crt'), cert);
  await writeFile(join(folder, 'tls.key'), key);
  return { folder, cert, key };
}

describe('the certificate of the gateway', () => {
  it('signs itself on loopback, and is its own authority', async () => {
    const { certificate } = await certificateWith({});
    expect(certificate.authority()).toBe(certificate.tls.serverOptions().cert);
    expect(certificate.tls.serverOptions()).toMatchObject({ minVersion: 'TLSv1.3', requestCert: true, rejectUnauthorized: false });
  });

  it('is never served with less than TLS 1.3, also when it has been renewed', async () => {
    const { certificate } = await certificateWith({});
    const renewed: SecureContextOptions[] = [];
    certificate.tls.keep({ setSecureContext: (options) => void renewed.push(options) });
    await clock.advance(3 * 24 * 60 * 60 * 1000);
    await expect.poll(() => renewed.map(({ minVersion }) => minVersion)).toEqual(['TLSv1.3']);
  });

  it('tells tenants an authority, and never a key that lies beside it', async () => {
    const { folder, cert, key } = await filesOf();
    const caFile = join(folder, 'ca.crt');
    const settings = {
      'gateway-tls-cert-file': join(folder, 'tls.crt'),
      'gateway-tls-key-file': join(folder, 'tls.key'),
      'gateway-public-ca-file': caFile,
    };
    await writeFile(caFile, cert);
    expect((await certificateWith(settings)).certificate.authority()).toBe(cert);
    for (const text of [`${cert}${key}`, key, 'nothing']) {
      await writeFile(caFile, text);
      await expect(certificateWith(settings)).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('must have certificates in PEM and nothing else'),
      });
    }
  });

  it('takes nobody away from the private listeners when it has expired', async () => {
    const { folder } = await filesOf();
    const files = { 'gateway-tls-cert-file': join(folder, 'tls.crt'), 'gateway-tls-key-file': join(folder, 'tls.key') };
    const { health } = await certificateWith(files);
    await clock.advance(8 * 24 * 60 * 60 * 1000);
    expect((await health.report('ready')).state).toBe('degraded');
  });
});
