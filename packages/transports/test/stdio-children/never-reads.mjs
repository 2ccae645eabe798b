// Never reads its stdin; SIGTERM ends it.
setInterval(() => {}, 1000);
