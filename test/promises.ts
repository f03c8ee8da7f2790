// Lists what Belay promises: each promise has an id, and a sentence that tests show; a test names in its title the ids that it shows.

/** Kept by now. One that no test names is red. */
export const duePromises = {
  'cancel.reach':
    'A CANCEL accepted at a node reaches every live node that its plan names, with its workers (model call, tool, approval, question), to any depth; the event alone is enough, and so is the cut alone.',
  'cancel.phases':
    'Every phase of every machine has an interrupted transition for CANCEL, or refuses it with a stated reason. A test walks the machines and fails when a phase has neither.',
  'cancel.phases.causes':
    'Every phase of every machine handles CANCEL under each cause, or lists the cause as not applicable with a reason.',
  'cancel.phases.steer': 'Every phase of every machine handles STEER, or lists it as not applicable with a reason.',
  'cancel.sources':
    "A client's frame, a lost client, a deadline, a supersession, a shutdown and a crash all take the same road; the outcome goes by the cause: `deadline` gives timed_out, `superseded` superseded, `crash` failed for the turn that died, every other cancelled. The first cause wins and is kept; below the target it is the target's.",
  'cancel.exact':
    'A cancel names its target (a node id, "mine", or the whole session). A cancel for turn N never touches turn N+1; a cancel for a finished or unknown target is answered (`already_settled`, with the receipt where there is one, when nothing at or below it can be planned; `unknown_target`), never dropped and never an error that breaks the connection.',
  'cancel.latch':
    'A cancel that arrives before its target has started (queued, preparing, its id not yet known: `say:<ref>`) prevents the start; a queued SAY that the target covers never starts. Control frames never wait behind work.',
  'cancel.latch.deferred':
    'What was deferred before a cancel (a steer of the target) stays cancelled after it, unless the receipt lists it as refused.',
  'cancel.tool':
    'One tool call can be cancelled by id: its siblings run on, the model gets a cancelled result for it and the turn continues. The same for one sub-agent.',
  'cancel.tools':
    'A CANCEL of tools (`tools:<turn>`, `tools:mine`, `tools:say:<ref>`) stops, under one receipt, the unsettled calls and attached sub-agents directly below its turns, with everything below them, as far as its speaker has standing. The turns, the words that wait and detached agents go on. A call that is made and not opened yet, that asks or that waits for a key is `not_started`. Without a call the reply is `already_settled`.',
  'cancel.tools.goes_on':
    'After a CANCEL of tools the model is called once, with the results of all calls, those of abandoned ones too, and a note on who has stopped them. No acknowledgement is opened. A repeat of a call whose effect is `unknown` is held for a yes.',
  'cancel.tools.late':
    'A copy of a CANCEL of tools reaches no call that was opened after `seen`, or after the decision on its first sending: `running` lists these.',
  'cancel.tools.feature':
    '`welcome.features` lists `cancel_tools`. A client that does not find it there sends no CANCEL of tools: it rejects with an error that names the feature, and offers no control for it.',
  'cancel.accepted':
    'Stopping begins in the tick in which the CANCEL is decided. The client receives `cancel_accepted` as soon as the acceptance has committed (or after 250 ms with `durable: false`), with the unsettled live nodes parted into stopping, pending, refused (each with its reason) and detached. After it, no text delta of a stopped node is sent.',
  'cancel.settled':
    '`cancel_settled` lists exactly what was stopping and pending, each node with outcome, effect and milliseconds. It is sent only when none of them has work of its own left (worker, timer, socket, child process), or is named `abandoned`, and when the closing has committed. No frame of a stopped turn follows its end; `late_result` and `abandoned_ended` are events of the session that name the node. A SAY meanwhile is accepted at once and starts when the stop has settled: two voices never speak in one lane.',
  'cancel.bounded':
    'Settling is bounded by declared budgets (grace, kill) for tools that ignore their signal, never settle, block, trap SIGTERM, fork grandchildren or flood stdout. What could not be stopped is named: outcome `abandoned`, and a second event when it really ends.',
  'cancel.fence':
    'After the cut nothing new starts below the target, except under what was refused: no model request, tool, retry, timer or child, from any path.',
  'cancel.idempotent':
    'Repeats are harmless and answered with the same receipt; one that adds nodes gets a new receipt over the whole plan; `force` on a repeat skips the grace.',
  'cancel.idempotent.resent':
    'A frame that is sent again stops no root turn that its sender had neither seen nor said; it reaches all that is below the others, however late it was started.',
  'cancel.idempotent.ref':
    'A ref counts once for its speaker in a session, as long as its log: the same command under it is a repeat, another one is refused (`ref_reused`), and without a ref nothing is deduplicated.',
  'cancel.boundaries':
    'Work that completed before the cancel stays, in the history and on the screen. A late result is kept as evidence, never as state: a terminal outcome is written once.',
  'ladder.turn.queued': "turn, queued: leaves the queue; no model call is made; the user's words stay",
  'ladder.turn.preparing': "turn, preparing: the context that is being built is dropped; the user's words stay",
  'ladder.turn.generating':
    "turn, generating: the model's HTTP request is closed (the server sees it closed); the text so far stays, marked cut off; tool calls only half received are dropped, whole ones are kept and settled `not_started`",
  'ladder.turn.dispatching':
    'turn, dispatching (calls known, records being written): the write is completed first, then every call is settled as cancelled, effect `not_started`',
  'ladder.turn.acting':
    'turn, acting: CANCEL to every open child; finished results stay; calls not started say so; the model is not called again',
  'ladder.turn.between':
    'turn, between results and the next model call (preparing again): settles at once; results stay',
  'ladder.turn.settling': 'turn, settling (the closing append): answered `already_settled`: the outcome is fixed',
  'ladder.call.queued': 'tool call, queued (behind an exclusive one), starting: leaves the queue, effect `not_started`',
  'ladder.call.running':
    'tool call, running: the signal is aborted; its process group gets TERM, grace, KILL and is seen dead; output so far stays',
  'ladder.agent.delegating':
    'sub-agent, delegating: CANCEL to the child turn; its partial report is kept and handed to the parent',
  'owner.guard':
    "Standing is decided by one pure function of (node, speaker, evidence, policy), the guard of the session's CANCEL transition, once for each live node; the guard of every machine below reads its own verdict from the plan. Evidence: is the speaker the initiator; is the room a single-participant one; role.",
  'owner.guard.words':
    'Evidence for words (not for frames or HTTP): is the bot addressed directly (confidence against a threshold).',
  'owner.voice':
    'In a voice session a speaker without standing cancels nothing: the words flow through as a normal utterance, and the refusal is recorded with its reason.',
  'owner.text':
    'In a text session anyone in the channel may stop the bot by default (its reply is there for all to see); a session can be set to `owner`.',
  'owner.node':
    'In a tree with nodes of several owners, a cancel stops exactly the nodes that the policy gives that speaker; the others run on, and each refusal is reported.',
  'owner.identity':
    'The speaker comes from the verified connection, never from the payload. Only a connection with the `bridge` role may speak for others (a chat or voice bot relaying its room). A spoofed owner cancels nothing.',
  'intent.strict':
    '`isCancelIntent(text)` is deterministic, needs no model, and takes only a short imperative: an optional lead-in (ok, oh, actually, just, please, yeah, hey, the bot\'s name), one stop word, perhaps repeated or after "no" (stop, cancel, never mind / nevermind / nvm, forget it, abort, quit), an optional tail (it, that, this, please, now), optional punctuation. Any case; an interjection and the bot\'s name may stand together ("hey belay, stop"); null and "stop?" do not match. "ok nvm", "just stop it", "please cancel" match; "stop the music", "don\'t stop", "can you cancel my subscription", "stop worrying about it" do not. Other languages are lexicons of the same grammar.',
  'owner.roles':
    'A moderator may cancel anything in the session; a delegate what was delegated; `emergency` is a role of its own.',
  'external.stop':
    'A call that a bridge or a program runs itself (OPEN_CALL) is a call like any other for standing, gates, plan, budget and receipt. A CANCEL that reaches it is passed on to its opener (`stop_call`) with the rest of its budget, also to a connection of the opener that joins meanwhile; a call that nobody settles within the budget is abandoned.',
  'external.settle':
    'The opener of a call alone reports on it and settles it, over any of its connections. What completed stays completed; a settling after the end is refused by name, changes nothing and closes nothing.',
  'external.lost':
    'A call whose opener has had no connection in the session for the grace is stopped, then abandoned, and not waited for any more; an opener that comes back within the grace goes on with it. After a crash of the host it is `unknown`.',
  'external.history':
    'The next request of the session says what became of each call that others have run, and what runs on; it stays one that strict endpoints accept. Words are never given to the turn of such a call.',
  'external.limits':
    'Open calls have a limit for the session and for each opener, and their names, inputs, reports and outputs limits of size; what exceeds one is refused with the name of the field or the limit.',
  'owner.replay': 'Every decision is logged with its inputs and gives the same answer when run again.',
  'cancel.sources.phrase': "A recognized stop phrase takes the same road as a client's frame.",
  'cancel.idempotent.phrase': 'A stop phrase while its target is stopping is a repeat.',
  'cancel.noop':
    'A stop phrase when nothing can be cancelled is not swallowed: it goes to the model as an ordinary message.',
  'intent.target':
    'A phrase targets every node that its speaker has standing over: in a text session with the default policy that is all of it.',
  'recover.queue':
    'What a speaker says while a turn runs (`queue`, `interrupt`, `steer`, `reject`, `parallel`) has exactly one fate, reported by id, also under a cancel.',
  'history.paired':
    'In the log a call has at most one result, in a settled turn exactly one; at every prefix of the log (so after a crash at any point) the transcript renders to a request that the provider accepts.',
  'history.words':
    'Cancelled, interrupted before starting, timed out, failed, denied, superseded and `continues` (not stopped: it is still running) are told apart in the result, in one standard wording each, with `cancelled: true` where the model must not retry.',
  'history.effect':
    'Each settled call says what may have happened: `not_started`, `none`, `unknown`, `done`. "Did not run" is never said of a call that was entered.',
  'history.partial':
    'What the user saw is what the history says, marked cut off, before `cancel_settled` is sent; after a crash up to the last checkpoint.',
  'history.bounded':
    'A request is built from whole turns within declared limits; compaction never splits a call from its result; a cancelled compaction changes nothing.',
  'history.overlap':
    'A turn that ran beside others is as recent as its end: the requests after it have it, as the resumption and the acknowledgement of it do. A request depends on the log alone, and not on whether the session was asleep.',
  'history.usage':
    'Every model call ends with usage: exact, estimated from the deltas and labeled so, or unknown; never zero for a call that streamed. Summed over the tree for every outcome.',
  'tool.signal':
    'Every tool gets an AbortSignal and a context (session, turn, call, speaker, allowed roots, depth). An exception in its abort listener is charged to its node.',
  'tool.parallel':
    'Independent calls run at once; a slow or failed one does not hold or lose the others; each result is sent as it comes; exclusive ones run alone (`shell`, `run_code`, `write_file`: by folder, within the session); the history keeps call order.',
  'config.sessions':
    'The settings of single sessions have the rules that an embedder has: access, disconnect, interruption, approvals, limits. What a pattern leaves out is as for all sessions.',
  'tool.keys':
    'A call waits only for calls whose folder contains its own or lies in it, by their real paths; no later call in a narrow folder overtakes an earlier one in a wide folder. `keys.scope: "root"` locks the whole root.',
  'tool.process':
    'shell: a process group of its own, bounded output, TERM, grace, KILL, seen dead; no zombie, no orphan grandchild.',
  'agent.tree':
    'A sub-agent is a child actor with a turn of its own, its own tools and model; depth is bounded; its lifetime link is declared: attached (default) or detached.',
  'ws.protocol':
    'One WebSocket subprotocol, written down as a document with frames, scenarios and races before it is code, with a schema, versioned; a client library for Node and the browser; an unknown or malformed frame gets a named error and loses nothing.',
  'ws.resume': 'A client that reconnects with its last sequence number misses nothing and sees nothing twice.',
  'ws.last':
    'A client that joins a session with its last turns shows them as one does that replays all of it, and loads the earlier ones when they are wanted.',
  'ws.limits':
    'Frame size, rate, connections and queue lengths are bounded; a slow reader gets merged deltas, then is dropped with a named close code; others never wait for it. Heartbeats find dead peers.',
  'ws.limits.reset':
    'No request ends a process, whenever its connection is reset: not at the gateway, a door of an embedder, the relay of the inspector, the page of `belay mcp login` or the proxy of a browser.',
  'ws.auth':
    'Tokens name the speaker and the roles; one that is taken out of the token file ends with all that it has opened; origin is checked; without a token a gateway listens on loopback only.',
  'cli.chat':
    'A terminal client: Ctrl-C cancels the turn, twice forces, when idle it exits without a stack trace; a session may be uninterruptible; one run without a chat (`belay run "…"`); standard wording, a line for each node.',
  'cli.chat.idle':
    'Ctrl-C, when nothing of this terminal runs, stops nothing: it says whose work runs and asks, and a second one exits.',
  'store.durable':
    'The transcript survives kill -9 at any point: on restart nothing cancelled resumes, every open call is closed (`unknown` if it was started, else `not_started`), clients that come back get the one settled receipt.',
  'copy.exact':
    'A copied session has the same facts with the same sequence numbers, and the same images, sounds and files; a gateway on the other store goes on with it, and its epoch is higher. It appears there whole or not at all.',
  'copy.again':
    'A copy that is run again, also after a kill -9, copies what is missing, compares what is there, and names a session that is open in a gateway, or differs: none is changed.',
  'store.address':
    'A store in PostgreSQL is named by an address without a password; no password and no wrong address is repeated by an error.',
  'store.server':
    'A PostgreSQL server that may lose a commit, is a replica or too old, and a pooler that shares connections between transactions, are refused at the start, by name and with what to do.',
  'store.lease':
    'In PostgreSQL no clock is compared with another one: a step of all clocks by an hour, in either direction, ends no lease and prolongs none.',
  'store.back':
    'A database that ends before what it has confirmed, because a backup was restored, ends the session by name (`store_failed`): nothing is written on top of it.',
  'store.schema':
    'A database of the version before or after is opened, any other is refused by name; `belay migrate` brings it forward while hosts run on it, and goes on after a kill -9.',
  'store.memory':
    'A log in memory is bounded: above its limit it forgets sessions that are asleep, and fails by name a session that does not fit; it loses no part of one that is awake.',
  'store.durable.holder':
    'Hosts may share a store. A session has one holder: elsewhere it is refused with `held_elsewhere` until that host has closed it or died; a host that loses its sessions stops their work at once.',
  'ops.shutdown': 'A shutdown is a CANCEL with cause `shutdown`, waits for settling, then exits 0.',
  'ops.shutdown.endings':
    'Every signal that ends a process and can be caught is a shutdown that leaves no process; so are a closed terminal and a closed output of `belay run` and `belay chat`. A gateway survives a closed output; a signal that was ignored at the start stays ignored.',
  'ops.shutdown.exception':
    'An exception that nobody catches, and a rejection that nobody handles, are a shutdown of a gateway, and to `belay run` and `belay chat` what a closed terminal is: bounded in time, with an exit code other than 0, and no process is left.',
  'ops.shutdown.killed':
    'What a killed host has left is ended by the next start of a host of the same user, also without a store; nothing of a living host is.',
  'ops.deploy.proxy':
    'Through nginx, by the file of the documentation: TLS, WebSockets, events one by one, the addresses of clients, no metrics outside.',
  'ops.deploy':
    'A container and a service of systemd run a gateway for others; `stop` is SIGTERM, and ends it with all tools stopped.',
  'ops.deploy.sandbox':
    'The unit of systemd limits what the gateway and its commands may do: system calls, address families, capabilities, namespaces, the kernel, memory and tasks; it says what to loosen for which tool.',
  'ops.metrics':
    'Metrics for Prometheus: turns by outcome, cancels by source and outcome, `tool_interrupts_total` by tool and reason, accepted and settled latency histograms, abandoned work. The values of their labels are bounded.',
  'ops.metrics.voice':
    'Metrics of voice: barge-ins by result, false interruptions, cuts, transcripts by result, the time from a stop to silence and to its acknowledgement.',
  'ops.metrics.door':
    '`GET /metrics` has the metrics: for every process of the machine where there are no tokens, else for whoever shows the token of the metrics.',
  'ops.metrics.spans':
    'OpenTelemetry spans of turns, model calls, tool calls and sub-agents, with `tool.interrupted` and `tool.interrupt_reason`; cancelled is not an error; none has a word or a secret.',
  'ops.metrics.counts':
    'After 1 000 turns with cancels, metrics, spans, log lines and the log agree to the last count.',
  'ops.metrics.lines':
    'Structured logs: INFO at the request and at each stop with its duration, WARN for what was abandoned.',
  'ops.ask':
    'One command answers who stopped what, when, how long it took and what ran on, from a live or a closed store.',
  'ops.log':
    'One structured line for each join, turn end, cancel, refusal, model failure, recovery, abandoned call; never words or secrets.',
  'ops.hooks.crash': 'Over a crash observers get started and ended at least once for each node, with its `seq`.',
  'ops.hooks':
    'Observers get started and ended exactly once for each node within a process, on every path, `cancelled` apart from `failed`.',
  'cancel.shield':
    "A region may be shielded for a declared maximum (a commit, a compaction's included): a cancel meanwhile is answered `pending` with that bound, and its work is aborted at the region's end.",
  'cancel.shield.shown': 'Until the end of a shielded region all of its work is shown and kept.',
  'cancel.clean': 'After N cancels (10 000 in the soak), listeners, timers, handles and heap are back at the baseline.',
  'ladder.call.screening':
    'tool call, screening (interceptors): what they would allow no longer counts; effect `not_started`',
  'ladder.call.approving':
    'tool call, approving (siblings run on): the pending approval is closed as `withdrawn`; a later answer gets `expired`; the tool does not run',
  'ladder.ask': 'ask (a question put to a user): the question is withdrawn on every screen',
  'owner.ask': 'The addressee of a question or an approval has standing over it.',
  'owner.ask.one': 'An answer closes the question that it names, and never another one of the same call.',
  'tool.contract':
    'A tool declares: input schema, access (`parallel`, `exclusive`, or exclusive by a key), timeout, cancel contract (abortable, killable, shielded), supersession key, approval need; it may bring `cleanup(cause)`, run once within the grace. Registration without them fails.',
  'tool.before':
    'An interceptor may answer, change or deny a call before it runs; a cancel meanwhile never counts as allow.',
  'tool.timeout':
    "A framework timeout, default 120 s, per-tool override (by default `spawn_agent` and `ask_user` 0, `browse` 180 s, `fetch_url` 60 s, `shell` and `run_code` their own), 0 = none, waiting for a person never counts, and a per-call hint in the arguments' `_meta.timeout` (milliseconds) within a maximum. On timeout the turn goes on with a result that names the tool, the seconds and what the model can do next.",
  'cli.chat.exit':
    '`/exit` of a chat says what runs, and at a terminal asks whether to stop it: `/exit stop` stops what is the speaker’s and leaves, a second `/exit` leaves it running. In a pipe it says what runs on, and leaves.',
  'tool.timeouts':
    'The owner of a session or a moderator sets the timeout of a tool for the calls that start from then on, between 1 s and the configured maximum, as a fact; nobody else does.',
  'tool.progress': 'A call running longer than 5 s sends `tool_progress` with its elapsed time every 5 s.',
  'tool.waits':
    "A call that waits for another says for which, whose, and how long; the wait has a limit; it is nobody's timeout.",
  'tool.supersede':
    "A tool with a supersession key: a new call of the same owner, or of one with standing, cancels the earlier one (outcome `superseded`); another's is denied.",
  'tool.loop':
    'The same call with the same arguments repeated past a limit (3; timed-out ones count) is refused with a result that says so.',
  'tool.status':
    "A `session_status` tool tells the model the turn's calls so far, timeouts, the counts of the session with the tools that timed out, what is running, and the session's health.",
  'tool.mcp':
    'Tools of MCP servers (stdio and streamable HTTP): a cancel sends `notifications/cancelled`; a server that ignores it past its grace is closed and restarted; progress is forwarded.',
  'tool.cancel':
    'A model stops by `cancel_call` what works in the background for the speaker of its turn, and nothing else: no turn or input that a person has said, no work of another speaker, no node that contains the call. The receipt has the source `model`, and nobody gets an acknowledgement.',
  'agent.acp':
    'An outside coding agent can be a sub-agent over the Agent Client Protocol (stdio): a cancel is `session/cancel`, then the process ladder.',
  'access.secrets':
    'No log, frame, receipt or inspector shows a key, token or secret of the gateway; no command does where `tools.user` is set.',
  'access.invite-link':
    'An invite link lets one speaker in, once, until its time, with its role. It is not guessed, used twice, or used after it was revoked; its secret is nowhere but with who has made it.',
  'access.model_errors':
    'Where there are tokens, speakers get the sentence of the code of a model call that failed, by every door; what the provider said stays on the host, for the operator and for moderators.',
  'access.moderators': 'The owner of a session and its moderators name moderators, who stop what is of others there.',
  'access.presence': 'Who has joined a session is told who is there, who comes and who goes.',
  'access.join': 'Who may join, read and speak in a session is one pure function; every door asks it.',
  'access.share': 'One speaker, address or unproven socket cannot use up what others need.',
  'model.any':
    'Chat Completions, Responses, and any AI SDK provider; every endpoint family of the table in docs/how-to/models.md runs tools over several rounds, thinking included.',
  'model.state':
    'What a provider wants back (reasoning items, signatures, its own call ids) is logged and sent back to it, over a crash too; never to another, never from a block that was cut off.',
  'model.strict':
    'Every request that Belay sends, after any cancel and any crash, is taken by the strictest chat template: roles alternate, results follow their calls, nothing is empty.',
  'model.parts':
    'What is said, shown by tools and sent to models may hold images, files and audio, by reference; text stays text.',
  'model.ends':
    'Length, filter, refusal, empty and reasoning-only ends are told apart, to the client, the log and the terminal.',
  'model.dialects':
    'An answer that departs from the standard is understood or fails by name; no argument, text or call is lost in silence.',
  'access.names':
    'No name or text from outside can move a terminal, forge a line of the prompt, or grow without a bound.',
  'fork.settled':
    'A fork begins with what had settled by the end of its turn, closed: no turn, call, question, input or receipt in it is open, and a turn that ran beside it then is not there. A turn that is unknown, below another one or not settled is refused, and the message says which.',
  'fork.request':
    'A fork of every kind of turn gives a request that an endpoint which refuses what does not pair accepts; so does a RESUME of each turn in it that was interrupted.',
  'fork.apart':
    "A fork has nodes and refs of its own, and none of the other session's owner, members, delegations and decisions; the other session does not change.",
  'fork.owner': 'Who forks a session owns the fork, and nobody else is a member of it.',
  'fork.access':
    'Whoever may read a session may fork it; a session that a speaker may not read is refused as one that does not exist.',
  'fork.idempotent':
    'A FORK under its ref, or to its name, makes one fork, on whatever connection it comes again: the reply is the same. The ref with another turn, and the name of another session, are refused.',
  'fork.whole':
    'A fork is there whole or not at all, wherever its process dies; retention counts its age from its FORK.',
  'fork.unknown':
    'A call of unknown effect is held for a yes in a fork, too, when the turn that made it is resumed there.',
  'fork.usage':
    'What the copied turns have used counts neither for the fork, nor again for the day of their speakers, nor in metrics; observers are notified of no node that has run in the other session.',
  'fork.blobs':
    'A fork has copies of the blobs that its facts name, and each session loses its own when it is deleted.',
  'fork.bounded':
    'The facts of a fork have limits, in number and bytes: above one the FORK is refused by its name. A speaker forks no faster than it may open sessions.',
  'fork.doors':
    'FORK is the same by socket, HTTP, client library, library, page and terminal; its name in `features` of `welcome` announces it. The first fact of the fork, its export and the list of sessions say where it comes from; the forks of a session are shown to those who may read them.',
  'ops.alerts':
    'The alert rules ask for metrics and labels that there are; each fires for a gateway in trouble and none for one that is well, and each says what it means and what to do first.',
  'delete.bytes':
    'The words of a session that was deleted, and of its index entries and blobs, are in no file of a store in SQLite: not in the tables, not in free pages, not in the write-ahead log, also in a store that an earlier version has written. While an open reader or the size of the file keeps them there, the reply says so, and they are removed later without being asked for.',
  'delete.person':
    'A speaker who is deleted loses the sessions that they own; in all others, forks too, their words, answers, reasons and attachments are replaced, and their name is a pseudonym in every fact. Every fact keeps its place, its type and its ids: receipts, standing and requests hold.',
  'delete.person.quotes':
    'What models and tools have written that may quote a speaker who is deleted is removed or kept as `quotes` says, and named one by one.',
  'delete.person.running':
    'What a speaker who is deleted has running is stopped first, and what others have running is not: a session in which they go on is named as left, and the same deletion goes on with it.',
  'delete.person.crash':
    'A deletion of a speaker whose process dies at any step is ended by the next start, under one pseudonym.',
  'delete.person.who':
    'With tokens a speaker is deleted by themselves alone, and removes no answers to others; without tokens by everybody who has the key; and by whoever has the file.',
  'cluster.bus':
    'A bus carries questions, answers and texts of any length between hosts, in the order of their sender; `none` says that nobody answers, `silent` that no answer came in time.',
  'cluster.bus.seal':
    'Each message of a bus is sealed with the key of the cluster: what has another key, another subject or another version, was changed, or is sent again, is dropped.',
  'cluster.bus.control':
    'Over NATS, questions and answers have a connection of their own: a burst of texts delays no question, and so no CANCEL.',
  'cluster.start':
    'A host of a cluster is refused at the start, by name: without a store that hosts share, without a key, with the name of a living host, and with sessions that are configured otherwise than those of living hosts, unless that is allowed. No key or password is in an argument, a log, the banner or an error.',
  'cluster.gone':
    'What a host has left whose machine is gone is closed after its lease by another host, without anybody asking for it: the living host with the smallest id, and if that fails the next one.',
  'cluster.hosts':
    'The hosts of a cluster are listed, by HTTP and `belay hosts`, with what each holds and the age of its lease, for those who run them.',
  'cluster.try':
    '`npm run cluster` starts three hosts of a cluster on one machine, with its servers; Ctrl-C, also during the start, leaves no process and no file of it, whichever hosts were killed.',
  'cluster.session':
    'A session that another host of the cluster holds is joined, heard, spoken in and stopped as one that is held here, by every door; what is refused there is refused here with the same error.',
  'cluster.moves':
    'When the holder of a session closes, whoever has joined it at another host stays in it, and commands find its new holder.',
  'cluster.loss':
    'What a bus loses or repeats is noticed: each fact comes once and in order, each command is done once, and a holder that is not reached is `unavailable` with its ref still good.',
  'cluster.drain':
    'SIGTERM and `belay drain` at a host of a cluster: it opens no session any more, its idle sessions move to other hosts at once and busy ones when they are at rest, those who use them get no error, and only what still runs after `bus.drainMs` gets the CANCEL of the shutdown.',
  'cluster.lists': 'The lists of sessions, turns and questions have what runs on all hosts of the cluster.',
  'cluster.processes':
    'The holder of a session may be killed: whoever has joined it at another host gets the ends of its turns, and goes on there.',
  'workers.one':
    'The workers of a gateway are one to its clients: a session that one holds is joined, spoken in and stopped at every other, with the same facts and receipts, and lists have the sessions of all.',
  'workers.death':
    'A worker may be killed in a turn: its commands are ended at once, its turns closed once, its clients reconnect and get the ends, and it starts again.',
  'workers.parent': 'When the parent of the workers is killed, they and their commands end.',
  'workers.shutdown':
    'A shutdown of a gateway with workers is that of one process: each client gets the ends of the turns that were stopped, at whatever worker, and it exits with 0.',
  'workers.metrics':
    'The metrics of a gateway with workers are the sum over all its processes, and no counter falls when one dies.',
  'workers.settings': 'Settings that several workers cannot have are refused at the start, by name.',
  'list.order':
    'The list of sessions has the newest first, by the time of the last fact, with what happens in each for the one who asks: it asks them, runs, was stopped, has failed, is done. Page, terminal and HTTP have the same.',
  'list.missing':
    'A list of sessions, turns or questions names the hosts that did not reply in time. HTTP, page and terminal say it, and a stop of everything reports them as not reached.',
  'list.find':
    'Sessions are found by words, speaker, outcome, tool, cause and time, in any log: those that the speaker may read alone, without what was deleted or redacted, and a request looks at a bounded number.',
  'list.rename':
    'The owner of a session and moderators in it give it a title, by every door; it is a fact, replaces the one before, and names the session in each list.',
  'list.stop':
    'A session is stopped from the list by one CANCEL of all that the speaker may stop there; a refusal is said in words.',
  'list.questions':
    'What all sessions ask of a speaker is listed in one place, with the time that is left, and can be answered there.',
  'list.notice':
    'The title of the tab says what asks and what runs; a notification comes only where the person has allowed it by a click.',
  'recover.resume':
    'A stopped turn can be taken up again from what completed; `unknown` effects are never silently repeated.',
  'tool.timeouts.key':
    'The ref of a SET_TIMEOUT, or its Idempotency-Key over HTTP, counts once for its speaker in the session: again it sets nothing, whatever was set since, and has the same reply.',
  'client.features':
    'A client sends nothing that the `welcome` of the gateway does not announce: a command that needs a feature waits for the welcome, and rejects with an error that names what is missing.',
  'recover.go-on':
    'After a stop, words that are nothing but a request to go on resume the stopped turn of their speaker, as a RESUME does; where one condition is missing they are an ordinary message. They are read in eleven languages; at most 0.1 % of ordinary talk is read as such words.',
  'ladder.acknowledgement':
    'acknowledgement turn, any phase: it can be cancelled; receipts are sent, no second acknowledgement',
  'recover.model':
    'After a stop the model writes the acknowledgement itself, from what was stopped (what was running, who said what), told not to continue. No hard-coded "Cancelled.". If the model fails or is slower than its deadline, a reaction (emoji) stands in; in voice an earcon event. One acknowledgement for each receipt that a person caused, with the exceptions of docs/cancellation.md (After a stop).',
  'recover.note':
    "The model's next request carries a truthful note of the interruption: what was stopped, what completed, what may have had effects; it leaves the choice to retry, go another way or finish, and forbids retrying unasked.",
  'recover.ready':
    'The session takes new input at any time; its turn begins when a stop under way in its lane has settled.',
  'intent.one': 'Text and voice, every entrance, use the same function.',
  'intent.final':
    'Voice: only a final transcript counts, above the silence gate and the confidence threshold; never a partial one.',
  'own.speech':
    'Without the role `bridge` a speaker sends words, sounds and what was played for themselves only, in any session: of their own turns, at the connection that plays them. Anything else is refused (`not_yours`, `as_not_allowed`) with no effect; kind and policy of the session stay.',
  'page.talk':
    'The page talks in any session: it names who receives the sound before the first use, sends final words, pauses its voice when somebody speaks and goes on from the last word heard, is silent in the tick of `speech_stop`, and reports what was heard, marked where it is estimated. Without a recognizer or a microphone it reads aloud. A page that does not talk loads nothing of it.',
  'cancel.speech':
    'What is being spoken of a turn is a node, which outlives it: whoever may stop the turn stops its speech, also where the bot only talks, with a receipt and an acknowledgement.',
  'speech.backchannel':
    'Spoken words that only show that somebody listens (eleven languages) cut no speech: it goes on from its place.',
  'speech.stop-sound':
    'Where `voice.stopSound` is on, a stop that a person asks for has a notice for a sound, in the tick of the decision; the earcon for a failed acknowledgement is apart from it.',
  'speech.floor':
    'A room hears one speech at a time: another one waits, while its text streams, until the floor is free; the words after a stop come first. A stop, a crash and the end of the session reach what waits, and nothing of that is ever spoken.',
  'voice.sound':
    'Sound goes over the connection of who has agreed to it, with limits of its own, and nowhere else: no log has any. Speech is sent 300 ms before its time at most; none of it follows its `speech_stop`, or the `cancel_accepted` of its turn. A slow reader loses the oldest sound, never a command or a fact; a bad frame is an error by name. A gateway that is not asked for sound loads nothing of it.',
  'voice.realtime':
    'A model that hears and speaks decides nothing: its responses are model calls of turns, and one that nobody has asked for is cancelled by its id. A stop reaches a response in every phase: before it is created none of it sounds, nothing that comes late is passed on, and one that does not end in time costs its connection. The next response has the conversation of the log, with each call answered, and no more of an answer than was heard.',
  'history.partial.voice': 'Voice: the history is cut to what was heard.',
  'cancel.phases.barge_in':
    'Every phase of every machine handles BARGE_IN, or lists it as not applicable with a reason.',
  'http.api.access':
    'HTTP lets in whom a socket lets in: by the same tokens, key and origins; who may not read a session cannot tell it from one that does not exist.',
  'http.api.errors':
    'Every refusal of an HTTP request is a problem document with a code of docs/errors.md, and the field and limit where there is one.',
  'http.api.limits':
    'Requests count for the rates and shares of their speaker, and those that prove nobody for their address; nobody else is served worse.',
  'http.api.limits.guesses':
    'A request without a credential, or with a wrong one, keeps nobody out who has a right one: the key, a token of the file and a signed token that was verified lately are let in before any limit is asked, by each door. Verifying is bounded for each address and for all together, with a place for stops.',
  'clock.steps':
    'A step of the time of day, backward or forward, in the middle of a turn, a stop, a question or a recovery changes no duration, timeout or budget; a stored time later than now counts as now.',
  'page.comforts':
    'On the page code, answers and results are copied, wide tables scroll, tasks say whether they are done, a picture of the session that a model names is shown and any other address is a link, and words are edited and said again in a fork that has what there was before them. A keyboard reaches all of it.',
  'page.link':
    'A pasted link signs in at once where nobody or the same speaker is signed in, and asks before it signs in another one; its key or token leaves the address bar in every case, and nothing of where it leads is opened before it is decided. After a restart with another key the page asks for the new link at once.',
  'clock.ages':
    'The age of what runs is a duration that the gateway has measured, from its first sight on: after a reload, on a second device and with a wrong clock there. Where the gateway does not say it, there is no age rather than a guessed one. What a limit of a page counts leaves out the waits.',
  'clock.expiry':
    'A token ends its connections and streams when it expires by the time of day, also when that is set forward (within five seconds) or backward meanwhile.',
  'http.api.limits.clock':
    'A step of the time of day, backward or forward, takes no token of a rate from anybody and gives none.',
  'http.api.health':
    '`/healthz` says whether the process runs, `/readyz` whether it takes more connections; both without a token.',
  'http.api':
    'The same verbs by HTTP: list active turns (owner, started, current tools, call count), abort a turn, a node, a session (404 for unknown or finished, idempotent: a cancelled one gives its receipt), abort one tool call, say something and stream the reply as SSE.',
  'http.api.openapi':
    'An OpenAPI document, made of the schemas that check the requests, describes every route; a client generated from it alone can do all that HTTP can.',
  'http.disconnect':
    "Dropping the stream of an HTTP `say` cancels its turn; a lost WebSocket does not (the owner's last connection counts, after a grace). Both by `onDisconnect: cancel | continue` of the request or session.",
  'cancel.sources.http': "An HTTP call takes the same road as a client's frame.",
  'page.room':
    'The page says who is in a session, with which role and color, and does what its members, invitations and delegations allow, by keys alone too.',
  'page.chat':
    'A chat page: streaming text, a card for each tool call with elapsed time (green under 10 s, amber to 30 s, red past it), a cancel button for each call, sub-agent and turn, statuses from receipts, never guessed; keyboard: Escape cancels; resume and run-again on what was cancelled.',
  'cancel.lane':
    "A CANCEL of `lane:<turn>` stops a turn and its owner's turns that wait behind it, by one receipt, and not the agents that they have detached; words that had not started go back to the tab or terminal that sent them.",
  'receipt.times':
    'A receipt says for each node when the stop cut it, aborted its signal and reached its machine, when it settled and when its work was seen to end; the page draws the wave of any past stop from it.',
  'page.press':
    'A press counts where it began: a button that moves under the pointer, because an answer grows above it, does what it says; a pointer that moves away from it presses nothing.',
  'page.true-sentence':
    'Under each turn stands what became of that turn, to each reader; under one that a stop passed by, who wanted it, and that it runs on. Whose stop has stopped nothing is told so at once, on the page and in a terminal.',
  'page.long':
    'A long session opens on the page with its end: facts sent, elements and layouts are the same with 100 and with 20 000 messages, at opening and for a delta. Earlier turns come when they are scrolled to or asked for, and what is read stays in its place.',
  'page.inspect':
    "The inspector shows every machine live: statechart with the active states, the actor tree, events between them, the cancel wavefront with times; works offline; replays a recorded cancel. The same stream can feed Stately's inspector.",
  'boot.cache':
    'What the commands have compiled is kept for the next start, in a folder that its user alone may write to; without one they start all the same.',
  'doors.options':
    'Options that a session is opened with (tools, approvals, policy, folders, MCP servers) are facts of it: they count on every host that opens it and in its forks, other ones are refused, and no client receives them.',
  'doors.imported':
    'A session may begin with a conversation that was held elsewhere: one bounded fact, into an empty session of its speaker. The model reads it, with calls and results as words; nothing in it is resumed, stopped or held as a repeat.',
  'doors.cause': 'The cause of a stop names the door that it came by, where that has a name.',
  'doors.summary':
    '`turn.receipt` is the receipt of the stop of a turn, or null when nobody has stopped it; `turn.summary()` has its texts, and its calls with title, kind, result and output.',
  'doors.cannot_ask':
    'A door that has nobody to ask denies an approval at once, with the code `cannot_ask`, and withdraws a question; the model reads it.',
  'doors.openai':
    'A client of Chat Completions works unchanged: profiles as models, tools inside, usage, streams; a closed connection is a CANCEL that ends every process and closes the request upstream. A request without a named session leaves none.',
  'doors.responses':
    'A client of Responses works unchanged: calls that ran inside are items, a response is read again after a restart, goes on from any earlier one, runs in the background, and is cancelled with everything below it.',
  'doors.ui-stream':
    'A page on `useChat` works unchanged: text, calls as they are written, results, sub-agents, approvals and questions; a closed request is a CANCEL, or a turn to come back to; `belayTransport` makes `stop()` a CANCEL that waits for its receipt.',
  'doors.frameworks':
    'An agent of Belay inside LangChain or LangGraph, or behind A2A, is stopped by the signal or the cancel of that framework, with everything that it runs.',
  'doors.acp':
    'An editor that speaks the Agent Client Protocol has Belay as its agent (`belay acp`): its stop is a CANCEL of the session that ends every process, and the response to the prompt comes last, with the receipt; the end of stdin and SIGTERM stop everything. Approvals, questions, diffs, modes, models, listed and loaded sessions are there. Folders and servers that it brings are allowed by the configuration.',
  'doors.acp-chain':
    'A chain of an editor, Belay, an outside agent that is Belay again, and a shell ends by one stop of the editor, within the budgets of both; no process of it is left.',
  'doors.acp-machine':
    'Where an editor offers its files and terminals, the file tools read what is not saved there and write by it, and commands run in its terminals. The end of a terminal is the word of the editor: without it within the budget the call is abandoned. Folders outside the roots are refused before.',
  'doors.ag-ui':
    'A client of AG-UI runs a profile as an agent: every event in the order of the verifier, sub-agents, interrupts for approvals and questions, a stopped run as cancelled, with its receipt; a closed run is a CANCEL, or a turn to come back to.',
  'doors.mcp':
    'A client of MCP works unchanged, on stdio and over streamable HTTP, in each revision: profiles as tools, progress, forms for approvals and questions; a cancelled call is a CANCEL that ends every process and closes the request upstream, and its receipt is a resource. A call may be a task, whose cancel is a CANCEL. The end of the input ends everything.',
  'doors.off': 'A door that is not configured has no routes, and loads nothing.',
} as const;

/** Promised for later; what is missing of a promise that is kept has an id below it. A test may name one of these already. */
export const laterPromises = {
  'door.acp':
    "An editor that speaks the Agent Client Protocol runs Belay as its agent: `session/cancel` stops all of it, the prompt's answer comes last, the receipt with it.",
  'door.mcp':
    'Another agent hands Belay a task over MCP: progress, approvals as elicitation; `notifications/cancelled` stops all of it.',
  'door.http':
    "AG-UI, the AI SDK's UI stream, Chat Completions and A2A clients work unchanged; each one's own way to stop is a CANCEL.",
  'scale.cluster':
    'On a cluster a cancel may enter at any host; a dead holder is fenced and its work settled by another; same promises. (A later issue.)',
} as const;
