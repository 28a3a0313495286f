import { create } from '@bufbuild/protobuf';
import { LeaseDeliverySchema, LeaseGatewaySchema } from '@quartermaster/api/market';
import { selfSignedTls } from '@quartermaster/service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliveryViolations } from './delivery-rules.ts';
import { gatewayViolations } from './gateway-rules.ts';

let [certificate, key] = ['', ''];
let close = async (): Promise<void> => {};

beforeAll(async () => {
  const tls = await selfSignedTls({ commonName: 'provider.example' });
  close = () => tls.close();
  const { cert, key: secret } = tls.serverOptions();
  [certificate, key] = [String(cert), String(secret)];
});

afterAll(() => close());

const good = { uri: 'https://provider.example:8443', grpcAddress: 'provider.example:8444', certificateAuthority: '' };

const fieldsOf = (change: Partial<typeof good>): readonly string[] =>
  gatewayViolations('gateway', create(LeaseGatewaySchema, { ...good, ...change })).map(({ field }) => field);

describe('where a provider serves its tenants', () => {
  it.each([
    {},
    { grpcAddress: '' },
    { uri: 'https://192.0.2.7' },
    { uri: 'https://[2001:db8::1]:8443/provider/1' },
    { grpcAddress: '[2001:db8::1]:8444' },
    { grpcAddress: '192.0.2.7:443' },
  ])('may be said as %j', (change) => {
    expect(fieldsOf(change)).toEqual([]);
  });

  it.each([
    '',
    'provider.example:8443',
    'http://provider.example:8443',
    'ftp://provider.example',
    'https://',
    'https:///path',
    'https://user@provider.example',
    'https://user:secret@provider.example',
    'https://provider.example?token=1',
    'https://provider.example/?',
    'https://provider.example/#',
    'https://provider.example:70000',
    'https://provider.example\\@evil.example',
    'https://provider.example/ x',
    ' https://provider.example',
    'https://provider.example\n',
    'https://provider.example/\u202Emoc',
    `https://provider.example/${'x'.repeat(256)}`,
  ])('is not the address %j', (uri) => {
    expect(fieldsOf({ uri })).toEqual(['gateway.uri']);
  });

  it.each([
    'provider.example',
    'https://provider.example:8444',
    'provider.example:0',
    'provider.example:70000',
    'user@provider.example:8444',
    'provider.example:8444/x',
    'provider.example:8444\n',
    '-provider:8444',
    `${'x'.repeat(252)}:8444`,
  ])('is not served over gRPC at %j', (grpcAddress) => {
    expect(fieldsOf({ grpcAddress })).toEqual(['gateway.grpc_address']);
  });

  it('has certificates for an authority, and nothing else', () => {
    const refused = ['gateway.certificate_authority'];
    for (const pem of [certificate, `${certificate}\n${certificate}`]) expect(fieldsOf({ certificateAuthority: pem })).toEqual([]);
    expect(key).toContain('PRIVATE KEY');
    for (const pem of [key, certificate + key, `CN = provider\n${certificate}`, 'no PEM', '\n', certificate.replace('MII', 'AAA')])
      expect(fieldsOf({ certificateAuthority: pem })).toEqual(refused);
    const ofLength = (length: number) => fieldsOf({ certificateAuthority: certificate.padEnd(length, '\n') });
    expect([ofLength(16_384), ofLength(16_385)]).toEqual([[], refused]);
  });

  it('is judged with the report that says it', () => {
    const report = (gateway?: object) =>
      deliveryViolations(create(LeaseDeliverySchema, { state: 'Active', health: 'healthy', ...(gateway && { gateway }) })).map(
        ({ field }) => field,
      );
    expect([report(), report(good)]).toEqual([[], []]);
    expect(report({ ...good, uri: 'http://provider.example' })).toEqual(['delivery.gateway.uri']);
    expect(report({})).toEqual(['delivery.gateway.uri']);
  });
});
