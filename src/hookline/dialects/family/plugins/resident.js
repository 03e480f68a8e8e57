import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { endianness, homedir } from "node:os";

const MOST_OUTPUT = 64 * 1024 * 1024;
const TAKE_MS = 1000; // how long the resident may take to say that it works on a call
const IS_LITTLE = endianness() === "LE";

let spare; // made ahead: what is written to it leaves at once, also while this process is busy

/** Asks the resident process, as `hookline-bridge` does: `{code, out, complaint}`. `{asked}` where there is no answer: whether
 * anybody was there to refuse. Counts from `began` (of `performance.now`). Never throws, never hangs. */
async function ask_resident(event, payload, cwd, began) {
  let line;
  try {
    const request = request_of(event, payload, cwd);
    line = spare && !spare.is_gone ? spare : connected();
    spare = undefined;
    line.socket.write(request);
    const word = await line.take(5, performance.now() + TAKE_MS);
    if (word[0] !== 0x54 /* T */) return { asked: line.was_open };
    const end = began + Math.min(number_at(word, 1), LIMIT_MS);
    const head = await line.take(13, end);
    if (head[0] !== 0x41 /* A */) return { asked: line.was_open };
    const [code, out, complaint] = [1, 5, 9].map((at) => number_at(head, at));
    if (out + complaint > MOST_OUTPUT) return { asked: line.was_open };
    const answer = { code, out: String(await line.take(out, end)), complaint: String(await line.take(complaint, end)) };
    connect_ahead();
    return answer;
  } catch {
    return { asked: line?.was_open ?? false }; // whatever it is, a guard must be asked all the same
  } finally {
    line?.socket.destroy();
  }
}

function connect_ahead() {
  try {
    if (!spare || spare.is_gone) spare = connected();
  } catch {} // the next call looks itself
}

/** A connection to the resident, which keeps nobody from ending. Throws where there is none. */
function connected() {
  const place = resident_folder();
  const socket = connect(`/proc/self/fd/${place}/socket`); // an address has no room for a long path
  const line = { socket, take: reader_of(socket), was_open: false, is_gone: false };
  socket.on("connect", () => (line.was_open = true));
  socket.on("close", () => {
    line.is_gone = true;
    closeSync(place);
  });
  socket.unref();
  return line;
}

/** A function that waits for so many bytes, and throws where the other end goes away, or they are not there in time. */
function reader_of(socket) {
  let pieces = [];
  let size = 0;
  let gone = false;
  let wake = () => {};
  socket.on("data", (piece) => {
    size += pieces.push(piece) && piece.length;
    wake();
  });
  for (const end of ["error", "close"]) socket.on(end, () => wake((gone = true)));
  return async (count, end) => {
    let late = false;
    const too_late = () => wake((late = true));
    // What came while this process was busy is read before the second one.
    let timer = setTimeout(() => (timer = setTimeout(too_late, 1)), Math.max(end - performance.now(), 0));
    try {
      while (size < count) {
        if (gone || late) throw new Error("no answer");
        await new Promise((resolve) => (wake = resolve));
      }
    } finally {
      clearTimeout(timer);
    }
    const all = Buffer.concat(pieces);
    pieces = [all.subarray(count)];
    size -= count;
    return all.subarray(0, count);
  };
}

/** The bytes of a call; `hosts/resident/frames.py` says how they are laid out. */
function request_of(event, payload, cwd) {
  const version = /__version__ = "([^"]+)"/.exec(readFileSync(PACKAGE, "utf8"))[1];
  const variables = Object.entries(process.env).map(([name, value]) => `${name}=${value}`);
  const strings = [version, AGENT, event, "", cwd, ...variables];
  const block = Buffer.from(strings.map((each) => `${each}\0`).join(""));
  const given = Buffer.from(payload);
  const sizes = new Uint32Array([strings.length, block.length, given.length]); // in the machine's order
  return Buffer.concat([Buffer.from("HKL1"), Buffer.from(sizes.buffer), block, given]);
}

/** The open folder that its socket is in, which nobody else may write to. Throws where there is none. */
function resident_folder() {
  const state = process.env.XDG_STATE_HOME?.startsWith("/") ? process.env.XDG_STATE_HOME : `${homedir()}/.local/state`;
  const place = openSync(`${state}/hookline/resident`, constants.O_RDONLY | constants.O_DIRECTORY);
  const { uid, mode } = fstatSync(place);
  if (uid === process.geteuid() && !(mode & 0o077)) return place;
  closeSync(place);
  throw new Error("not a folder of this user alone");
}

function number_at(bytes, place) {
  return IS_LITTLE ? bytes.readUInt32LE(place) : bytes.readUInt32BE(place);
}
