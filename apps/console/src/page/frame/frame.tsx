import { type ReactNode, useCallback, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { KeyCommand } from '../model/key-sequence.ts';
import { StaleNotice } from '../parts/stale-notice.tsx';
import { releaseEvent } from '../parts/use-held-rows.ts';
import { KeyHelp } from './key-help.tsx';
import { SearchBox } from './search-box.tsx';
import { SideBar } from './side-bar.tsx';
import { TopBar } from './top-bar.tsx';
import { useKeys } from './use-keys.ts';

/** Side bar, top bar and the keys that work everywhere. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const [, navigate] = useLocation();
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
        case 'release':
          window.dispatchEvent(new Event(releaseEvent));
          break;
      }
    },
    [navigate],
  );
  useKeys(obey);

  return (
    <div className="frame">
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <SideBar />
      <TopBar onHelp={() => setHelpOpen(true)}>
        <SearchBox inputRef={searchInput} />
      </TopBar>
      <main id="content" className="content" tabIndex={-1}>
        <StaleNotice />
        {children}
      </main>
      <KeyHelp isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </div>
  );
}
