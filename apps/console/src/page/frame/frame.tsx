import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { KeyCommand } from '../model/key-sequence.ts';
import { explainEvent, releaseEvent } from '../model/page-events.ts';
import { NoticeProvider } from '../parts/notice.tsx';
import { useSession } from '../session/session.ts';
import { type ConsolePage, pageAt } from './console-page.ts';
import { KeyHelp } from './key-help.tsx';
import { SearchBox } from './search-box.tsx';
import { SideBar } from './side-bar.tsx';
import { StaleNotice } from './stale-notice.tsx';
import { TopBar } from './top-bar.tsx';
import { TruthContext } from './truth.ts';
import { useKeys } from './use-keys.ts';

/** Side bar, top bar and the keys that work everywhere. */
export function Frame({ pages, children }: { readonly pages: readonly ConsolePage[]; readonly children: ReactNode }) {
  const { isOfFulfillment } = useSession();
  const [location, navigate] = useLocation();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const searchInput = useRef<HTMLInputElement>(null);

  const obey = useCallback(
    (command: KeyCommand) => {
      switch (command.kind) {
        case 'search':
          searchInput.current?.focus();
          searchInput.current?.select();
          break;
        case 'help':
          setHelpOpen(true);
          break;
        case 'close':
          setHelpOpen(false);
          break;
        case 'go':
          navigate(command.href);
          break;
        case 'explain':
          window.dispatchEvent(new Event(explainEvent));
          break;
        case 'release':
          window.dispatchEvent(new Event(releaseEvent));
          break;
      }
    },
    [navigate],
  );
  const pageKeys = useMemo(() => new Map(pages.map(({ key, href }) => [key, href])), [pages]);
  useKeys(pageKeys, obey);

  const source = pageAt(pages, location)?.source;
  return (
    <TruthContext value={source === 'fulfillment' && !isOfFulfillment ? 'cluster' : (source ?? 'cluster')}>
      <div className="frame">
        <a className="skip-link" href="#content">
          Skip to the content
        </a>
        <SideBar pages={pages} />
        <TopBar onHelp={() => setHelpOpen(true)}>
          <SearchBox inputRef={searchInput} pages={pages} />
        </TopBar>
        <main id="content" className="content" tabIndex={-1}>
          <StaleNotice />
          <NoticeProvider>{children}</NoticeProvider>
        </main>
        <KeyHelp pages={pages} isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
      </div>
    </TruthContext>
  );
}
