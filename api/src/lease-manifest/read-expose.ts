import type { Expose, HttpOptions } from './manifest-group.ts';
import { namePatterns, serviceNameRule } from './manifest-names.ts';
import { type Entry, flagOf, isMissing, listOf, member, textOf, textsOf, wholeOf } from './untrusted.ts';

const ports = { min: 1, max: 65_535 };
const counts = { min: 0, max: 2 ** 32 - 1 };

/** As the ecosystem has them, where a manifest does not say. */
const usual = { maxBodySize: 1_048_576, timeout: 60_000, nextTries: 3, nextTimeout: 0, nextCases: ['error', 'timeout'] } as const;
const maxBodySize = { min: 0, max: 104_857_600 };
const timeouts = { min: 0, max: 60_000 };
const bufferSizes = { min: 0, max: 1_048_576 };
/** They become a part of a web server's configuration. */
const nextCases: ReadonlySet<string> = new Set(['error', 'timeout', '500', '502', '503', '504', '403', '404', '429', 'off']);

/** Of one service. */
export const readExposes = (list: Entry): readonly Expose[] => listOf(list).map(readExpose);

function readExpose(entry: Entry): Expose {
  const { path, faults } = entry;
  const service = textOf(member(entry, 'service'));
  if (service !== '' && !namePatterns.service.test(service))
    faults.add(`${path}/service`, `must be empty or the name of a service, which ${serviceNameRule}`);
  const isGlobal = flagOf(member(entry, 'global'));
  const ip = textOf(member(entry, 'ip'));
  if (ip !== '' && !namePatterns.endpoint.test(ip))
    faults.add(`${path}/ip`, 'must be empty or the name of an endpoint: 1 to 253 of a-z, 0-9, - and _, beginning with a letter');
  else if (ip !== '' && !isGlobal) faults.add(`${path}/global`, 'must be true where an ip is named');
  return {
    port: wholeOf(member(entry, 'port'), ports, 0),
    externalPort: wholeOf(member(entry, 'externalPort'), { ...ports, min: 0 }, 0),
    protocol: readProtocol(member(entry, 'proto')),
    service,
    global: isGlobal,
    hosts: readHosts(member(entry, 'hosts')),
    ip,
    endpointNumber: wholeOf(member(entry, 'endpointSequenceNumber'), counts, 0),
    http: readHttp(member(entry, 'httpOptions')),
  };
}

function readProtocol(entry: Entry): Expose['protocol'] {
  const protocol = textOf(entry);
  if (protocol !== 'TCP' && protocol !== 'UDP') entry.faults.add(entry.path, 'must be TCP or UDP');
  return protocol === 'UDP' ? 'UDP' : 'TCP';
}

/** Which names a tenant may have, others decide. */
function readHosts(list: Entry): readonly string[] {
  return listOf(list).map((entry) => {
    const host = textOf(entry);
    if (host === '' || host.length > 255 || /[\s/:\p{Cc}]/u.test(host))
      entry.faults.add(entry.path, 'must be a hostname of at most 255 characters');
    return host;
  });
}

function readHttp(entry: Entry): HttpOptions {
  const cases = member(entry, 'nextCases');
  const buffer = wholeOf(member(entry, 'proxyBufferSize'), bufferSizes, 0);
  return {
    maxBodySize: wholeOf(member(entry, 'maxBodySize'), maxBodySize, usual.maxBodySize),
    readTimeout: wholeOf(member(entry, 'readTimeout'), timeouts, usual.timeout),
    sendTimeout: wholeOf(member(entry, 'sendTimeout'), timeouts, usual.timeout),
    nextTries: wholeOf(member(entry, 'nextTries'), counts, usual.nextTries),
    nextTimeout: wholeOf(member(entry, 'nextTimeout'), counts, usual.nextTimeout),
    nextCases: isMissing(cases) ? usual.nextCases : readCases(cases),
    ...(buffer === 0 ? {} : { proxyBufferSize: buffer }),
  };
}

function readCases(entry: Entry): readonly string[] {
  const cases = textsOf(entry);
  if (!cases.every((each) => nextCases.has(each))) entry.faults.add(entry.path, `must hold only ${[...nextCases].join(', ')}`);
  else if (cases.includes('off') && cases.length > 1) entry.faults.add(entry.path, 'may hold "off" only alone: remove it or the others');
  return cases;
}
