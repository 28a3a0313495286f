import type { NodeDetail } from '@quartermaster/api/inventory-views';
import type { ReactNode } from 'react';
import { countOf, formatBytes, formatInteger } from '../model/amounts.ts';
import { Facts } from '../parts/facts.tsx';
import { Panel } from '../parts/panel.tsx';
import { PlainTable } from '../parts/table/plain-table.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

const machineNames: Readonly<Record<string, string>> = {
  hostname: 'Host name',
  manufacturer: 'Maker',
  product: 'Product',
  serial: 'Serial',
  systemUuid: 'System UUID',
  kernel: 'Kernel',
};

/** What the machine is made of, as its agent found it. */
export function NodeHardware({ detail }: { readonly detail: NodeDetail }) {
  const { machine, cpus, memoryModules, disks, nics, hardwareAt, architecture, memoryBytes, agentProblems = [] } = detail;
  if (hardwareAt === undefined) {
    return (
      <Panel title="Machine">
        <p className="empty-line">No discovery agent has reported from this node yet: its hardware is unknown.</p>
      </Panel>
    );
  }
  return (
    <Panel
      title="Machine"
      source="cluster"
      aside={
        <>
          discovered <TimeAgo at={hardwareAt} />
        </>
      }
    >
      <Facts
        layout="facts machine-facts"
        facts={[
          ...Object.entries(machine).map(([key, value]): [string, ReactNode] => [machineNames[key] ?? key, value]),
          ['Architecture', architecture],
          ['Memory', memoryBytes && formatBytes(memoryBytes)],
        ]}
      />
      <div className="machine-tables">
        <Table title="CPUs" headings={['Socket', 'Model', 'Cores', 'Threads']} empty="No socket was found.">
          {cpus.map(({ id, model, cores, threads }) => (
            <tr key={id}>
              <td>{id}</td>
              <td>{model}</td>
              <td className="number">{formatInteger(cores)}</td>
              <td className="number">{formatInteger(threads)}</td>
            </tr>
          ))}
        </Table>
        <Table title="Memory" headings={['Modules', 'Type', 'Speed']} empty="No memory module was found.">
          {[...Map.groupBy(memoryModules, (each) => `${each.sizeBytes} ${each.type ?? ''} ${each.speedMtps ?? ''}`)].map(([key, alike]) => (
            <tr key={key}>
              <td>
                {formatInteger(alike.length)} × {formatBytes(alike[0]?.sizeBytes ?? 0)}
              </td>
              <td>{alike[0]?.type ?? '–'}</td>
              <td className="number">{alike[0]?.speedMtps === undefined ? '–' : `${formatInteger(alike[0].speedMtps)} MT/s`}</td>
            </tr>
          ))}
        </Table>
        <Table title="Disks" headings={['Disk', 'Kind', 'Model', 'Size']} empty="No disk was found.">
          {disks.map(({ name, kind, model, serial, sizeBytes }) => (
            <tr key={name}>
              <td className="mono">{name}</td>
              <td>{kind}</td>
              <td title={serial}>{model ?? '–'}</td>
              <td className="number">{formatBytes(sizeBytes)}</td>
            </tr>
          ))}
        </Table>
        <Table title="Network" headings={['Interface', 'MAC', 'Driver', 'Speed']} empty="No interface was found.">
          {nics.map(({ name, mac, driver, speedMbps, isUp, rdmaDevice }) => (
            <tr key={name}>
              <td>
                <span className="mono">{name}</span>
                {isUp === false && <span className="dim"> down</span>}
              </td>
              <td className="mono">{mac}</td>
              <td>
                {[driver, rdmaDevice === undefined ? undefined : `RDMA ${rdmaDevice}`].filter((text) => text !== undefined).join(', ') ||
                  '–'}
              </td>
              <td className="number">{speedMbps === undefined ? '–' : speedText(speedMbps)}</td>
            </tr>
          ))}
        </Table>
      </div>
      {memoryModules.length > 0 && (
        <p className="dim">
          {countOf(memoryModules.length, 'memory module')}, {formatBytes(memoryModules.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))}{' '}
          in all.
        </p>
      )}
      {agentProblems.length > 0 && (
        <>
          <h3>What the agent could not read</h3>
          <ul>
            {agentProblems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}

const speedText = (mbps: number): string => (mbps >= 1000 ? `${formatInteger(mbps / 1000)} Gbit/s` : `${mbps} Mbit/s`);

interface TableProps {
  readonly title: string;
  readonly headings: readonly string[];
  readonly empty: string;
  readonly children: readonly ReactNode[];
}

const numbers = ['Cores', 'Threads', 'Size', 'Speed'];

function Table({ title, headings, empty, children }: TableProps) {
  return (
    <div>
      {children.length === 0 ? (
        <>
          <h3>{title}</h3>
          <p className="empty-line">{empty}</p>
        </>
      ) : (
        <PlainTable caption={title} headings={headings} numbers={numbers}>
          {children}
        </PlainTable>
      )}
    </div>
  );
}
