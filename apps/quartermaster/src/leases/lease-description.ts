import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { LeasedService, LeaseProblem, RunningLease } from '@quartermaster/api/cluster';
import { leasePhaseWord, priceWords, sentenceCase } from '@quartermaster/api/states';
import { quantityText } from '../inventory/amount-text.ts';
import { ageText, sinceText } from '../inventory/freshness-text.ts';
import { untilText } from '../reservations/time-left.ts';
import type { Look } from '../text/listing.ts';
import { stateText } from '../text/state-text.ts';
import { indented, listText, table } from '../text/table.ts';
import { clockText } from '../text/time-text.ts';
import { nameOf } from './lease-connection.ts';
import { availableText, healthOf, stateOf } from './lease-list.ts';

/** Everything about one lease. `shells`: what is on record of those of its tenant. */
export function leaseDescription(lease: RunningLease, look: Look, shells = ''): string {
  const { services, hostnames, volumes, refused, leftovers } = lease;
  const problems = services.flatMap((service) => service.problems);
  const sections: readonly (readonly [string, string])[] = [
    ['Progress', phasesText(lease)],
    ['Problems', problems.map((problem) => problemText(problem, look)).join('')],
    ['Refused manifest', refused === undefined ? '' : problemText(refused, look)],
    ['Not removed yet', leftovers.map((problem) => problemText(problem, look)).join('')],
    ['Services', servicesText(services)],
    ['Pods', podsText(services, look)],
    [
      'Hostnames',
      hostnames.length === 0
        ? ''
        : table(
            ['HOSTNAME', 'STATE', 'SERVICE', 'PORT', 'REASON'],
            hostnames.map(({ hostname, state, service, externalPort, message }) => [
              hostname,
              state,
              service,
              String(externalPort),
              message === '' ? '-' : message,
            ]),
          ),
    ],
    [
      'Volumes',
      volumes.length === 0
        ? ''
        : table(
            ['VOLUME', 'STATE', 'SIZE', 'CLASS', 'NODE', 'CLAIM'],
            volumes.map(({ name, phase, bytes, storageClass, node, claim }) => [
              name,
              phase === '' ? '?' : phase,
              quantityText(bytes, 'bytes', look),
              storageClass === '' ? '-' : storageClass,
              node === '' ? '-' : node,
              claim,
            ]),
          ),
    ],
  ];
  const texts = sections.flatMap(([title, text]) => (text === '' ? [] : [`${title}\n${indented(text)}`]));
  return [headText(lease, look, shells), ...texts].join('\n');
}

function headText(lease: RunningLease, { now, paint }: Look, shells: string): string {
  const { provider, reason, message, since, namespace, namespaceUid, marketState, manifestHash, price, unhealthySince, closesAt } = lease;
  const rows: readonly (readonly [string, string])[] = [
    ['State', `${stateText(stateOf(lease), paint)}${sinceText({ since }, now)}`],
    ['Reason', [reason, message].filter((text) => text !== '').join(': ')],
    ['Health', `${stateText(healthOf(lease), paint)}, ${availableText(lease)} available`],
    ['Unhealthy', unhealthySince === undefined ? '' : `for ${ageText(unhealthySince, now)}`],
    [
      'Closes',
      closesAt === undefined
        ? ''
        : `${untilText(closesAt, now)} (${clockText(timestampMs(closesAt))}), unless ${unhealthySince === undefined ? 'a manifest is accepted' : 'it becomes healthy'}`,
    ],
    ['Price', price === undefined ? '' : priceWords(price)],
    ['Market', marketState === '' ? 'unknown' : marketState],
    ['Provider', provider],
    ['Namespace', namespace === '' ? 'none yet' : `${namespace}${namespaceUid === '' ? '' : ` (${namespaceUid})`}`],
    ['Manifest', manifestHash === '' ? 'none is deployed' : manifestHash],
    ['Shells', shells],
  ];
  return table(
    ['Lease', nameOf(lease)],
    rows.filter(([, value]) => value !== ''),
  );
}

/** Each step with its time, and how long after the one before it was. */
function phasesText({ phases }: RunningLease): string {
  const rows = phases
    .filter(({ name, state }) => state !== 'ahead' || !['closing', 'closed'].includes(name))
    .map(({ name, state, at, message }, index, all) => {
      const before = all[index - 1]?.at;
      const took = at === undefined || before === undefined ? '-' : `${((timestampMs(at) - timestampMs(before)) / 1000).toFixed(1)} s`;
      return [
        leasePhaseWord(name),
        state === 'ahead' ? 'not yet' : state,
        at === undefined ? '-' : clockText(timestampMs(at)),
        took,
        message || '-',
      ];
    });
  return rows.length === 0 ? '' : table(['STEP', 'STATE', 'AT', 'AFTER', 'MESSAGE'], rows);
}

function problemText({ code, message, since, subject }: LeaseProblem, { now }: Look): string {
  const about = subject === '' ? '' : `${subject}: `;
  return `${about}${sentenceCase(message)}${code === '' ? '' : ` (${code})`}${sinceText({ since }, now)}\n`;
}

function servicesText(services: readonly LeasedService[]): string {
  if (services.length === 0) return '';
  return table(
    ['SERVICE', 'AVAILABLE', 'UPDATED', 'IMAGE', 'PORTS'],
    services.map(({ name, available, count, updated, image, ports, addresses }) => [
      name,
      `${available} of ${count}`,
      String(updated),
      image,
      listText([
        ...ports.map(({ host, externalPort, port, protocol }) =>
          externalPort === 0 ? `no port yet for ${port}/${protocol}` : `${host || '*'}:${externalPort} to ${port}/${protocol}`,
        ),
        ...addresses.map(({ endpoint, ip, externalPort, port, protocol }) =>
          ip === '' ? `no address yet for ${endpoint}` : `${ip}:${externalPort} to ${port}/${protocol}`,
        ),
      ]),
    ]),
  );
}

function podsText(services: readonly LeasedService[], { now }: Look): string {
  const rows = services.flatMap(({ name: service, pods }) =>
    pods.map(({ name, node, phase, ready, restarts, devices, gpus, createdAt }) => [
      name,
      service,
      ready ? `${phase}, ready` : phase === '' ? '?' : phase,
      node === '' ? '-' : node,
      devices.length === 0 ? (gpus === 0 ? '-' : String(gpus)) : devices.join(', '),
      String(restarts),
      ageText(createdAt, now),
    ]),
  );
  return rows.length === 0 ? '' : table(['POD', 'SERVICE', 'STATE', 'NODE', 'GPUS', 'RESTARTS', 'AGE'], rows);
}
