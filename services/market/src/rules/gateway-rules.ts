import { X509Certificate } from 'node:crypto';
import type { LeaseGateway } from '@quartermaster/api/market';
import { type FieldViolation, invisible } from '@quartermaster/kernel';

const max = { address: 256, authority: 16_384 };

const httpsAddress = /^https:\/\/[^\s/?#@\\]+(?:\/[^\s?#\\]*)?$/;
const hostAndPort = /^(?:[a-zA-Z0-9](?:[-.a-zA-Z0-9]*[a-zA-Z0-9])?|\[[0-9a-fA-F:.]+\]):[1-9]\d{0,4}$/;
const certificate = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/** What a provider may not say of where it serves its tenants: their tools go there, and trust the authority that it names. */
export function gatewayViolations(field: string, { uri, grpcAddress, certificateAuthority }: LeaseGateway): FieldViolation[] {
  return [
    ...unless(
      isHttps(uri),
      `${field}.uri`,
      `must be https://HOST:PORT, without user, query and fragment, of at most ${max.address} characters`,
    ),
    ...unless(
      grpcAddress === '' || isHostAndPort(grpcAddress),
      `${field}.grpc_address`,
      `must be HOST:PORT of at most ${max.address} characters, or empty where gRPC is not served`,
    ),
    ...unless(
      certificateAuthority === '' || isCertificates(certificateAuthority),
      `${field}.certificate_authority`,
      `must be X.509 certificates in PEM of at most ${max.authority} characters, and nothing else: no private key; or empty for an authority that every machine trusts`,
    ),
  ];
}

const unless = (isRight: boolean, field: string, description: string): FieldViolation[] => (isRight ? [] : [{ field, description }]);

const isHttps = (uri: string): boolean => uri.length <= max.address && httpsAddress.test(uri) && !invisible.test(uri) && URL.canParse(uri);

const isHostAndPort = (address: string): boolean =>
  address.length <= max.address && hostAndPort.test(address) && URL.canParse(`https://${address}`);

function isCertificates(pem: string): boolean {
  if (pem.length > max.authority || pem.replaceAll(certificate, '').trim() !== '') return false;
  try {
    const read = (pem.match(certificate) ?? []).map((each) => new X509Certificate(each));
    return read.length > 0;
  } catch {
    return false;
  }
}
