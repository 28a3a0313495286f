import { type KeyboardEvent, type Ref, useDeferredValue, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { useLive } from '../live/use-live.ts';
import { type SearchHit, search } from '../model/search.ts';

const noHits: readonly SearchHit[] = [];

/** Finds parts, nodes and recent pods by name. Arrows choose, Enter opens, Escape closes. */
export function SearchBox({ inputRef }: { readonly inputRef: Ref<HTMLInputElement> }) {
  const { snapshot } = useLive();
  const [, navigate] = useLocation();
  const [query, setQuery] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(0);
  const text = useDeferredValue(query);
  const hits = useMemo(() => (snapshot === undefined || !isOpen ? noHits : search(snapshot, text)), [snapshot, isOpen, text]);
  const isListOpen = isOpen && query.trim() !== '';

  const open = (hit: SearchHit | undefined): void => {
    if (hit === undefined) return;
    navigate(hit.href);
    setOpen(false);
    setQuery('');
  };
  const press = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key === 'Escape') {
      setOpen(false);
      event.currentTarget.blur();
    } else if (event.key === 'Enter') {
      open(hits[chosen]);
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
        aria-label="Search nodes, pods and parts"
        aria-expanded={isListOpen}
        aria-controls="search-results"
        aria-autocomplete="list"
        aria-activedescendant={isListOpen && hits.length > 0 ? `hit-${chosen}` : undefined}
        placeholder="/  search nodes, pods, parts"
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
      <div id="search-results" className="search-results" role="listbox" aria-label="Search results" hidden={!isListOpen}>
        {hits.map((hit, index) => (
          <div
            key={`${hit.kind} ${hit.label} ${hit.detail}`}
            id={`hit-${index}`}
            role="option"
            aria-selected={index === chosen}
            tabIndex={-1}
            className="search-hit"
            // The field would lose the focus, and the list its reason to be there, before the click.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => open(hit)}
            onMouseEnter={() => setChosen(index)}
          >
            <span className="search-kind">{hit.kind}</span>
            <span className="mono">{hit.label}</span>
            <span className="dim">{hit.detail}</span>
          </div>
        ))}
        {isListOpen && hits.length === 0 && (
          <div className="search-none" role="option" aria-selected={false} tabIndex={-1}>
            Nothing here is called “{query.trim()}”. Pods are found while they are among the recent changes.
          </div>
        )}
      </div>
    </div>
  );
}
