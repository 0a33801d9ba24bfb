package searchsite

// Nonsense is what stands in the place of a page that nobody can read.
const Nonsense = "\x7f\x01~~ %%zq{{{ ]] <<>> 0xLAB </b></i> &&& \x02 nothing in here makes sense \x03\n"
