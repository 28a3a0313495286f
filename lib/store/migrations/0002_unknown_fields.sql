-- A replica of one release may update an object that a newer release wrote with fields that it does not know. In "body" they are kept as they are; this keeps them in "data", so
-- that neither filters nor columns of the newer release lose them. "stored" is the document in the database, "known" what the older release makes of the object as it was, and
-- "wished" what it makes of the object as it shall be: what "stored" has beyond "known" is unknown to it. Elements of lists have no identity: a list that changed is as wished.
create function with_unknown_fields(stored jsonb, known jsonb, wished jsonb) returns jsonb language plpgsql immutable parallel safe as $$
begin
  if known = wished then return stored; end if;
  if jsonb_typeof(stored) <> 'object' or jsonb_typeof(known) <> 'object' or jsonb_typeof(wished) <> 'object' then return wished; end if;
  return (
    select coalesce(jsonb_object_agg(coalesce(w.key, s.key), case
        when w.key is null then s.value
        when s.key is null or not known ? w.key then w.value
        else with_unknown_fields(s.value, known -> w.key, w.value) end), '{}')
    from jsonb_each(wished) as w full join jsonb_each(stored) as s on s.key = w.key
    where w.key is not null or not known ? s.key
  );
end $$;
