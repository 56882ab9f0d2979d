// Which methods of a library were called, so that a test can tell that none was left out.

/**
 * Gives a library that behaves as the given one, and notes the names of the methods that ask
 * the server, such as "channel.sort.block".
 */
export function noting(value, called, name = "") {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return value;
  return new Proxy(value, {
    get: (target, key) => {
      const member = target[key];
      if (typeof key !== "string") return member;
      const bound = typeof member === "function" ? member.bind(target) : member;
      return noting(bound, called, name ? `${name}.${key}` : key);
    },
    apply: (method, of, args) => {
      const given = Reflect.apply(method, of, args);
      if (typeof given?.then !== "function") return noting(given, called, name);
      called.add(name);
      return given;
    },
  });
}

/** The names of the methods of an object and of those within it. */
export function namesOf(value, name) {
  if (typeof value === "function") return [name];
  return Object.entries(value).flatMap(([key, member]) => namesOf(member, `${name}.${key}`));
}
