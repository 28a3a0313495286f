import type { ReactNode } from 'react';
import { momentOf } from '../api/api-words.ts';
import { hostClassKind } from '../api/object-kind.ts';
import { objectHref } from '../model/addresses.ts';
import { CopyId } from '../objects/copy-id.tsx';
import { ObjectName } from '../objects/object-name.tsx';
import { Panel } from '../parts/panel.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { useSession } from '../session/use-session.ts';
import type { Host, HostSpec } from './host.ts';

/** What the host is, and who says so. To a tenant most of it does not exist. */
export function HostFacts({ host }: { readonly host: Host }) {
  const { isStaff } = useSession();
  const { spec = {}, status = {}, metadata } = host;
  const classId = spec.class ?? '';
  const own: FactList = [
    ['Title', spec.title],
    ['Class', classId !== '' && <ObjectName kind={hostClassKind} id={classId} href={objectHref('host_classes', classId)} />],
    ['Description', spec.description],
    ['Tenants', metadata.tenants.join(', ')],
    ...Object.entries(metadata.labels ?? {}).map(([key, value]) => [`Label ${key}`, value] as const),
  ];
  if (!isStaff) {
    return (
      <Panel title="Host" source="fulfillment">
        <Facts facts={own} />
      </Panel>
    );
  }
  const seen = momentOf(status.source?.last_seen);
  return (
    <>
      <div className="facts-columns">
        <Panel title="Identity" source="fulfillment">
          <Facts facts={identityOf(host)} />
        </Panel>
        <Panel title="Place and purpose" source="fulfillment">
          <Facts facts={[['Rack', placeOf(spec)], ...own, ['Hub', status.hub]]} />
        </Panel>
        <Panel title="Source" source="fulfillment">
          <Facts
            facts={[
              ['Brought in by', status.source?.name || 'a person, by hand'],
              ['Its id there', status.source?.id && <code>{status.source.id}</code>],
              ['Last seen', seen !== undefined && <TimeAgo at={seen} />],
              ['Link', linkOf(spec.link || spec.bcm_link)],
            ]}
          />
        </Panel>
        <Panel title="Management controller" source="fulfillment">
          <Facts
            facts={[
              ['Address', mono(spec.bmc?.url) || 'not known: nobody can switch this host'],
              ['User', mono(spec.bmc?.user)],
              ['Password', passwordWords(spec)],
              ['Certificate', spec.bmc?.insecure === true && 'any is taken'],
            ]}
          />
        </Panel>
      </div>
    </>
  );
}

type FactList = readonly (readonly [name: string, value: ReactNode])[];

/** What is not known is left out. */
function Facts({ facts }: { readonly facts: FactList }) {
  const known = facts.filter(([, value]) => value !== undefined && value !== '' && value !== false);
  if (known.length === 0) return <p className="empty-line">Nothing is known of it.</p>;
  return (
    <dl className="facts-list">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
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
  if (unit === 0) return `${rack}, height unit not known`;
  return height > 1 ? `${rack}, units ${unit} to ${unit + height - 1}` : `${rack}, unit ${unit}`;
}

function passwordWords({ bmc }: HostSpec): string {
  if (bmc === undefined) return '';
  if (bmc.password_ref !== undefined) return 'kept elsewhere, by a reference';
  return (bmc.password ?? '') === '' ? 'none' : 'set, not shown';
}

/** Only addresses that a browser may safely follow are links. */
function linkOf(link: string | undefined): ReactNode {
  if (link === undefined || link === '') return undefined;
  return /^https?:\/\//.test(link) ? (
    <a href={link} rel="noreferrer noopener" target="_blank">
      {link}
    </a>
  ) : (
    link
  );
}
