import type { PlannedReplicaJson, ReservationJson, ResourcesJson, UnitJson } from '@quartermaster/api/cluster';
import { amountWords, promiseWords, resourceWord } from '@quartermaster/api/states';
import { Fragment } from 'react';
import { Link } from 'wouter';
import { nodeHref, storageHref } from '../model/addresses.ts';
import { countOf, formatBytes, formatCores, formatInteger, sentenceCase } from '../model/amounts.ts';
import { groupName, numberOf, wantName } from '../model/card-names.ts';
import { shortId } from '../model/short-id.ts';
import { Changing } from '../parts/changing.tsx';
import { Panel } from '../parts/panel.tsx';
import { PlainTable } from '../parts/table/plain-table.tsx';
import { nodesOf, podWords } from './reservation-words.ts';

interface PanelOfReservation {
  readonly reservation: ReservationJson;
  readonly isLastKnown: boolean;
}

/** One resource of a promise, and how to say an amount of it. */
interface Line {
  readonly name: string;
  readonly of: (resources: ResourcesJson) => number;
  readonly text: (amount: number) => string;
}

const cores = (millis: number): string => `${formatCores(millis)} cores`;
const fixedLines: readonly Line[] = [
  { name: resourceWord('cpu'), of: ({ cpuMillis }) => numberOf(cpuMillis), text: cores },
  { name: sentenceCase(resourceWord('memory')), of: ({ memoryBytes }) => numberOf(memoryBytes), text: formatBytes },
  {
    name: sentenceCase(resourceWord('ephemeral-storage')),
    of: ({ ephemeralStorageBytes }) => numberOf(ephemeralStorageBytes),
    text: formatBytes,
  },
];
const poolLines: readonly Line[] = [
  { name: sentenceCase(resourceWord('ports')), of: ({ ports }) => numberOf(ports), text: formatInteger },
  { name: sentenceCase(resourceWord('leased-ips')), of: ({ leasedIps }) => numberOf(leasedIps), text: formatInteger },
];

const promiseHeadings = Object.values(promiseWords).map(sentenceCase);

/** What is promised, how much of it has become pods, and what is still kept for those to come. */
export function PromisePanel({ reservation, isLastKnown }: PanelOfReservation) {
  const { promised = {}, allocated = {}, held = {} } = reservation;
  const keysOf = (of: 'gpus' | 'storage'): readonly string[] =>
    [...new Set([promised, allocated, held].flatMap((resources) => Object.keys(resources[of] ?? {})))].toSorted();
  const lines: readonly Line[] = [
    ...keysOf('gpus').map((name) => ({ name, of: ({ gpus = {} }: ResourcesJson) => numberOf(gpus[name]), text: formatInteger })),
    ...fixedLines,
    ...keysOf('storage').map((name) => ({
      name: sentenceCase(resourceWord(`storage/${name}`)),
      of: ({ storage = {} }: ResourcesJson) => numberOf(storage[name]),
      text: formatBytes,
    })),
    ...poolLines,
  ].filter(({ of }) => of(promised) + of(allocated) + of(held) > 0);
  return (
    <Panel title="Promised" aside={`${podWords(reservation)} pods run`} isLastKnown={isLastKnown}>
      <PlainTable headings={['Resource', ...promiseHeadings]} numbers={promiseHeadings}>
        {lines.map(({ name, of, text }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {[promised, allocated, held].map((resources, at) => (
              <td key={at === 0 ? 'promised' : at === 1 ? 'allocated' : 'held'} className="number" title={formatInteger(of(resources))}>
                <Changing value={of(resources)}>{of(resources) === 0 ? '–' : text(of(resources))}</Changing>
              </td>
            ))}
          </tr>
        ))}
      </PlainTable>
    </Panel>
  );
}

/** Where each replica of each unit goes. */
export function PlanPanel({ reservation, isLastKnown }: PanelOfReservation) {
  const { plan, unitPods = [] } = reservation;
  const units = plan?.units ?? [];
  return (
    <Panel title="Plan" aside={`over ${countOf(nodesOf(reservation).length, 'node')}`} isLastKnown={isLastKnown}>
      {units.map((unit) => {
        const pods = unitPods.find((each) => (each.unit ?? 0) === (unit.id ?? 0));
        return (
          <Fragment key={unit.id ?? 0}>
            <h3 className="plan-unit">
              {`Unit ${unit.id ?? 0}`}
              <span className="dim">
                {[
                  `each ${cores(numberOf(unit.cpuMillis))}`,
                  `${formatBytes(numberOf(unit.memoryBytes))} memory`,
                  numberOf(unit.ephemeralStorageBytes) > 0 &&
                    `${formatBytes(numberOf(unit.ephemeralStorageBytes))} ${resourceWord('ephemeral-storage')}`,
                  `${pods?.pods ?? 0} of ${pods?.replicas ?? unit.replicas?.length ?? 0} pods`,
                ]
                  .filter((text) => text !== false)
                  .join(', ')}
                {(unit.volumes ?? []).map(({ name = '', storageClass = '', bytes }) => (
                  <Fragment key={name}>
                    {`, ${name} ${formatBytes(numberOf(bytes))} `}
                    <Link href={storageHref(storageClass)}>{storageClass}</Link>
                  </Fragment>
                ))}
              </span>
            </h3>
            <PlainTable headings={['Replica', 'Node', 'GPUs', 'Assigned by']} numbers={['Replica']} layout="plan-table">
              {(unit.replicas ?? []).map((replica, at) => (
                // Replicas have no name but their place in the plan.
                // biome-ignore lint/suspicious/noArrayIndexKey: see above
                <Replica key={at} replica={replica} number={at + 1} />
              ))}
            </PlainTable>
          </Fragment>
        );
      })}
      {units.length === 0 && <p className="empty-line">There is no plan yet.</p>}
    </Panel>
  );
}

function Replica({ replica: { node = '', cards }, number }: { readonly replica: PlannedReplicaJson; readonly number: number }) {
  const devices = cards?.devices ?? [];
  return (
    <tr>
      <td className="number">{number}</td>
      <td>
        <Link href={nodeHref(node)}>{node}</Link>
      </td>
      <td title={devices.join(', ')}>
        {cards === undefined ? (
          <span className="dim">none</span>
        ) : (
          `${formatInteger(cards.count ?? 0)} × ${(cards.groups ?? []).map(groupName).join(' or ')}${devices.length === 0 ? '' : ` (${devices.map(shortId).join(', ')})`}`
        )}
      </td>
      <td>{cards === undefined ? '' : cards.assignedBy === 'CARD_ASSIGNMENT_CLAIM' ? 'claim' : 'device plugin'}</td>
    </tr>
  );
}

/** What the order asks for, as it was ordered: commit levels are not applied. */
export function RequestPanel({ reservation: { request }, isLastKnown }: PanelOfReservation) {
  return (
    <Panel title="Request" aside="as ordered, for one replica of each unit" isLastKnown={isLastKnown}>
      <PlainTable
        headings={['Unit', 'Replicas', 'Cores', 'Memory', 'GPUs', 'Volumes', 'Endpoints']}
        numbers={['Unit', 'Replicas', 'Cores', 'Memory']}
        layout="request-table"
      >
        {(request?.units ?? []).map((unit) => (
          <tr key={unit.id ?? 0}>
            <td className="number">{unit.id ?? 0}</td>
            <td className="number">{formatInteger(unit.count ?? 0)}</td>
            <td className="number">{formatCores(numberOf(unit.cpuMillis))}</td>
            <td className="number">{formatBytes(numberOf(unit.memoryBytes))}</td>
            <td>{gpuWords(unit)}</td>
            <td>{volumeWords(unit)}</td>
            <td>{endpointWords(unit)}</td>
          </tr>
        ))}
      </PlainTable>
    </Panel>
  );
}

const gpuWords = ({ gpus }: UnitJson): string =>
  (gpus?.count ?? 0) === 0 ? 'none' : `${formatInteger(gpus?.count ?? 0)} × ${(gpus?.wants ?? []).map(wantName).join(' or ')}`;

const volumeWords = ({ volumes = [] }: UnitJson): string =>
  volumes
    .map(({ name = '', bytes, kind, storageClass = '' }) => {
      const where = kind === 'VOLUME_KIND_PERSISTENT' ? storageClass : kind === 'VOLUME_KIND_RAM' ? 'in memory' : 'ephemeral';
      return `${name} ${formatBytes(numberOf(bytes))} ${where}`;
    })
    .join(', ') || 'none';

const endpointWords = ({ randomPorts = 0, leasedIps = [] }: UnitJson): string =>
  [
    randomPorts > 0 && amountWords('ports', randomPorts),
    leasedIps.length > 0 && `${amountWords('leased-ips', leasedIps.length)}: ${leasedIps.join(', ')}`,
  ]
    .filter((text) => text !== false)
    .join(', ') || 'none';
