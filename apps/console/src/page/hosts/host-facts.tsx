import type { ReactNode } from 'react';
import { momentOf } from '../api/api-words.ts';
import { hostClassKind } from '../api/object-kind.ts';
import { ObjectName } from '../objects/object-name.tsx';
import { Address } from '../parts/address.tsx';
import { CopyId } from '../parts/copy.tsx';
import { type FactList, Facts } from '../parts/facts.tsx';
import { Panel } from '../parts/panel.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { useSession } from '../session/session.ts';
import type { Host, HostSpec } from './host.ts';

/** What the host is, and who says so. To a tenant most of it does not exist. */
export function HostFacts({ host }: { readonly host: Host }) {
  const { isStaff } = useSession();
  const { spec = {}, status = {}, metadata } = host;
  const classId = spec.class ?? '';
  const own: FactList = [
    ['Title', spec.title],
    ['Class', classId !== '' && <ObjectName kind={hostClassKind} id={classId} />],
    ['Description', spec.description],
    ['Tenants', metadata.tenants.join(', ')],
    ...Object.entries(metadata.labels ?? {}).map(([key, value]) => [`Label ${key}`, value] as const),
  ];
  if (!isStaff) return <FactsPanel title="Host" facts={own} />;
  const seen = momentOf(status.source?.last_seen);
  const link = spec.link || spec.bcm_link;
  return (
    <div className="facts-columns">
      <FactsPanel title="Identity" facts={identityOf(host)} />
      <FactsPanel title="Place and purpose" facts={[['Rack', placeOf(spec)], ...own, ['Hub', status.hub]]} />
      <FactsPanel
        title="Source"
        facts={[
          ['Reported by', status.source?.name || 'nobody: created manually'],
          ['Id in the source', status.source?.id && <code>{status.source.id}</code>],
          ['Last seen', seen !== undefined && <TimeAgo at={seen} />],
          ['Link', link && <Address url={link} />],
        ]}
      />
      <FactsPanel
        title="Management controller"
        facts={[
          ['Address', mono(spec.bmc?.url) || 'unknown: the power state cannot be changed'],
          ['User', mono(spec.bmc?.user)],
          ['Password', passwordWords(spec)],
          ['Certificate', spec.bmc?.insecure === true && 'not verified'],
        ]}
      />
    </div>
  );
}

function FactsPanel({ title, facts }: { readonly title: string; readonly facts: FactList }) {
  return (
    <Panel title={title} source="fulfillment">
      <Facts facts={facts} />
    </Panel>
  );
}

function identityOf({ id, spec = {} }: Host): FactList {
  return [
    ['Serial', copied(spec.serial)],
    ['System UUID', copied(spec.system_uuid)],
    ['Boot MAC', copied(spec.boot_mac)],
    ['Boot IP', copied(spec.boot_ip)],
    ...(spec.nics ?? []).map(
      ({ mac, name, speed_mbps: speed }) =>
        [
          name === '' ? 'NIC' : name,
          <>
            <CopyId id={mac} /> {Number(speed) > 0 && <span className="dim">{speedWords(Number(speed))}</span>}
          </>,
        ] as const,
    ),
    ['Id', copied(id)],
  ];
}

/** People paste these elsewhere: into a ticket, a switch, another search. */
const copied = (text: string | undefined): ReactNode => (text === undefined || text === '' ? undefined : <CopyId id={text} />);

const mono = (text: string | undefined): ReactNode => (text === undefined || text === '' ? undefined : <code>{text}</code>);

const speedWords = (mbps: number): string => (mbps >= 1000 ? `${mbps / 1000} Gbit/s` : `${mbps} Mbit/s`);

function placeOf({ rack = '', rack_unit: unit = 0, rack_height: height = 0 }: HostSpec): string {
  if (rack === '') return '';
  if (unit === 0) return `${rack}, height unit unknown`;
  return height > 1 ? `${rack}, units ${unit} to ${unit + height - 1}` : `${rack}, unit ${unit}`;
}

function passwordWords({ bmc }: HostSpec): string {
  if (bmc === undefined) return '';
  if (bmc.password_ref !== undefined) return 'stored elsewhere, by reference';
  return (bmc.password ?? '') === '' ? 'none' : 'set, not shown';
}
