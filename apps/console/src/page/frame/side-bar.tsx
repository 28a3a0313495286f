import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useObjects } from '../api/use-object.ts';
import { useLive } from '../live/use-live.ts';
import { formatInteger } from '../model/amounts.ts';
import { partsOf, useInstallation } from '../upstreams/use-installation.ts';
import { type ConsolePage, type Glance, pageAt } from './console-page.ts';

/** The pages that exist, by section. A dot on an entry means that something there needs a person. */
export function SideBar({ pages }: { readonly pages: readonly ConsolePage[] }) {
  const { summary } = useLive();
  const installation = useInstallation();
  const glance = { summary, parts: partsOf(installation) };
  const [location] = useLocation();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (location !== '') setOpen(false);
  }, [location]);
  const sections = Map.groupBy(pages, ({ section }) => section);
  return (
    <nav className="side-bar" aria-label="Pages" data-open={isOpen ? 'true' : undefined}>
      <Link href="/" className="brand">
        <svg className="brand-mark" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M8 0 16 8 8 16 0 8Z" />
        </svg>
        <span>Quartermaster</span>
      </Link>
      <button type="button" className="menu-button" aria-expanded={isOpen} aria-controls="side-sections" onClick={() => setOpen(!isOpen)}>
        {pageAt(pages, location)?.label ?? 'Pages'} <span aria-hidden="true">{isOpen ? '▴' : '▾'}</span>
      </button>
      <div id="side-sections" className="side-sections">
        {[...sections].map(([section, entries]) => (
          <div key={section ?? ''} className="side-section">
            {section !== undefined && <h2>{section}</h2>}
            <ul>
              {entries.map((page) => (
                <SideEntry key={page.href} page={page} glance={glance} />
              ))}
            </ul>
          </div>
        ))}
      </div>
    </nav>
  );
}

function NeedsDot({ needs }: { readonly needs: number }) {
  if (needs === 0) return null;
  const words = `${formatInteger(needs)} ${needs === 1 ? 'needs' : 'need'} attention`;
  return <span className="needs-dot" role="img" aria-label={words} title={words} />;
}

function TroublesDot({ kind, filter }: NonNullable<ConsolePage['troubles']>) {
  return <NeedsDot needs={useObjects(kind, { filter, limit: 0 }).data?.total ?? 0} />;
}

function SideEntry({ page: { href, label, attention, troubles }, glance }: { readonly page: ConsolePage; readonly glance: Glance }) {
  const [location] = useLocation();
  const isHere = href === '/' ? location === '/' : location === href || location.startsWith(`${href}/`);
  const needs = attention === undefined ? 0 : attention(glance);
  return (
    <li>
      <Link href={href} className="side-link" aria-current={isHere ? 'page' : undefined}>
        {label}
        {troubles === undefined ? <NeedsDot needs={needs} /> : <TroublesDot {...troubles} />}
      </Link>
    </li>
  );
}
