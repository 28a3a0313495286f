import type { SearchHit } from '@quartermaster/api/inventory-views';
import { type KeyboardEvent, type Ref, useState } from 'react';
import { useLocation } from 'wouter';
import { useSession } from '../session/session.ts';
import type { ConsolePage } from './console-page.ts';
import { useSearch } from './use-search.ts';

interface SearchBoxProps {
  readonly inputRef: Ref<HTMLInputElement>;
  readonly pages: readonly ConsolePage[];
}

/** Finds whatever the pages can show, by name. Arrows choose, Enter opens, Escape closes. */
export function SearchBox({ inputRef, pages }: SearchBoxProps) {
  const { isOfFulfillment, isStaff, hasClusterService } = useSession();
  const hint = isStaff
    ? `/  search names, ids${isOfFulfillment ? ', serials, MACs, IPs, UUIDs, tenants' : ', serials, MACs, UUIDs'}${hasClusterService ? ', hostnames' : ''}`
    : '/  search names and ids';
  const [, navigate] = useLocation();
  const [query, setQuery] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(0);
  const result = useSearch(isOpen ? query.trim() : '');
  const hits = result.kind === 'found' ? result.hits.flatMap((hit) => placed(hit, pages)) : [];
  const isListOpen = isOpen && query.trim() !== '' && result.kind !== 'waiting';

  const open = (href: string | undefined): void => {
    if (href === undefined) return;
    navigate(href);
    setOpen(false);
    setQuery('');
  };
  const press = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key === 'Escape') {
      setOpen(false);
      event.currentTarget.blur();
    } else if (event.key === 'Enter') {
      // What is listed may be about what was typed before.
      if (result.kind !== 'found' || result.text !== query.trim() || hits.length === 0) return;
      open(hits[chosen]?.href);
      event.currentTarget.blur();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      if (hits.length > 0) setChosen((chosen + step + hits.length) % hits.length);
    }
  };

  return (
    <div className="search">
      <input
        ref={inputRef}
        className="field"
        type="text"
        role="combobox"
        aria-label="Search by name"
        aria-expanded={isListOpen}
        aria-controls="search-results"
        aria-autocomplete="list"
        aria-activedescendant={isListOpen && hits.length > 0 ? `hit-${chosen}` : undefined}
        placeholder={hint}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          setChosen(0);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={press}
      />
      <div className="search-results" hidden={!isListOpen}>
        <div id="search-results" role="listbox" aria-label="Search results">
          {hits.map(({ hit, href }, index) => (
            <div
              key={`${hit.kind} ${hit.id}`}
              id={`hit-${index}`}
              role="option"
              aria-selected={index === chosen}
              tabIndex={-1}
              className="search-hit"
              // The field would lose the focus, and the list its reason to be there, before the click.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => open(href)}
              onMouseEnter={() => setChosen(index)}
            >
              <span className="search-kind">{hit.kind}</span>
              <span className="mono">{hit.label}</span>
              <span className="dim">{hit.detail}</span>
            </div>
          ))}
          {isListOpen && hits.length === 0 && (
            <div className="search-none" role="option" aria-selected={false} tabIndex={-1}>
              {result.kind === 'failed'
                ? `The search failed: ${result.problem}.`
                : result.kind === 'found' && result.isSearching
                  ? `No match for “${query.trim()}” yet.`
                  : `No match for “${query.trim()}” in names, serials, MACs, IPs or UUIDs.`}
            </div>
          )}
        </div>
        {isListOpen && result.kind === 'found' && (
          <p className="search-where">
            {`Searched: ${result.searched.join(', ')}.`}
            {result.isSearching && ' Searching pods …'}
            {result.problem !== undefined && ` Not everything could be searched: ${result.problem}.`}
          </p>
        )}
      </div>
    </div>
  );
}

/** With the address at which a page shows it; nothing when none does. */
function placed(hit: SearchHit, pages: readonly ConsolePage[]): { readonly hit: SearchHit; readonly href: string }[] {
  const place = pages.map(({ finds }) => finds?.[hit.kind]).find((each) => each !== undefined);
  return place === undefined ? [] : [{ hit, href: place(hit.id) }];
}
