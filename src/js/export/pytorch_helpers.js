/**
 * Python functions and classes by name; a script contains those that it uses.
 * @type {Record<string, string>}
 */
export const HELPERS = {
  decoded: `def decoded(text, dtype, shape):
    """A tensor from base64."""
    return torch.frombuffer(bytearray(base64.b64decode(text)), dtype=dtype).reshape(shape)`,

  causal: `def causal(x, memory=None, window=0):
    """A mask that is True where a key is hidden: keys after the query or, if window > 0, keys at least window positions away on
    either side."""
    queries, keys = x.shape[1], (x if memory is None else memory).shape[1]
    ahead = torch.arange(keys, device=x.device) - torch.arange(queries, device=x.device)[:, None]
    return ahead.abs() >= window if window else ahead > 0`,

  to_additive_mask: `def to_additive_mask(mask):
    """Converts a boolean mask to an additive one: -inf where it is True (hidden), else 0. Other masks stay as they are."""
    return torch.zeros(mask.shape, device=mask.device).masked_fill(mask, -math.inf) if mask.dtype == torch.bool else mask`,

  gelu_tanh: `def gelu_tanh(x):
    return F.gelu(x, approximate='tanh')`,

  rms_norm: `def rms_norm(x, weight, eps):
    normalized = x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    return normalized if weight is None else normalized * weight`,

  RMSNorm: `class RMSNorm(nn.Module):
    """torch.nn.RMSNorm, which came with PyTorch 2.4."""

    def __init__(self, channels, eps=2 ** -23, elementwise_affine=True):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels)) if elementwise_affine else None
        self.eps = eps

    def forward(self, x):
        return rms_norm(x, self.weight, self.eps)`,

  PositionalEncoding: `class PositionalEncoding(nn.Module):
    """Adds sines and cosines, then dropout. The table is loaded with the weights."""

    def __init__(self, channels, dropout, length):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer('pe', torch.zeros(length, channels))

    def forward(self, x):
        return self.dropout(x + self.pe[:x.shape[1]])`,

  LearnedPositionalEncoding: `class LearnedPositionalEncoding(nn.Module):
    """Adds a learned vector for each position."""

    def __init__(self, length, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(length, channels))

    def forward(self, x):
        return x + self.weight[:x.shape[1]]`,

  attention: `def attention(q, k, v, heads, kv_heads=None, scale=None, causal=False, past=0, window=0, mask=None, padding=None):
    """softmax(q k^T scale + masks) v and the weights. Heads are an axis, [B, H, T, D], or concatenated, [B, T, H D]."""
    def split_heads(x, count):
        return x if x.dim() == 4 else x.unflatten(-1, (count, -1)).transpose(1, 2)
    queries, keys, values = split_heads(q, heads), *(split_heads(x, kv_heads or heads) for x in (k, v))
    if kv_heads:
        keys, values = (x.repeat_interleave(heads // kv_heads, dim=1) for x in (keys, values))
    dots = queries @ keys.transpose(-2, -1) * (queries.shape[-1] ** -0.5 if scale is None else scale)
    if mask is not None:
        dots = dots + mask
    ahead = torch.arange(keys.shape[2], device=q.device) - torch.arange(past, past + queries.shape[2], device=q.device)[:, None]
    if causal:
        dots = dots.masked_fill(ahead > 0, -math.inf)
    if window:
        dots = dots.masked_fill(ahead.abs() >= window, -math.inf)
    if padding is not None:
        dots = dots.masked_fill(padding[:, None, None].to(q.device), -math.inf)
    weights = F.softmax(dots, dim=-1)
    out = weights @ values
    return (out if q.dim() == 4 else out.transpose(1, 2).flatten(2)), weights`,

  rotary: `def rotary(x, heads=1, base=10000, interleaved=False, positions=None, frequencies=None, dims=None, scale=1):
    """Rotates pairs of the first dims channels of every head by position times frequency (RoPE)."""
    *lead, length, channels = x.shape
    dims = dims or channels // heads
    half = dims // 2
    if frequencies is None:
        frequencies = base ** (-torch.arange(half, dtype=torch.float64) / half)
    if positions is None:
        positions = torch.arange(length)
    angle = (positions[..., None].double() * frequencies.double()).to(x.device)
    angle = angle.reshape(*(angle.shape[0] if i == 0 and angle.dim() == 3 else 1 for i in range(len(lead))), length, 1, half)
    cos, sin = scale * angle.cos().to(x.dtype), scale * angle.sin().to(x.dtype)
    y = x.reshape(*lead, length, heads, -1)
    a, b = y[..., :dims].unflatten(-1, (half, 2) if interleaved else (2, half)).unbind(-1 if interleaved else -2)
    rotated = torch.stack([a * cos - b * sin, b * cos + a * sin], dim=-1 if interleaved else -2)
    return torch.cat([rotated.flatten(-2), y[..., dims:]], dim=-1).reshape(x.shape)`
}

/** The helpers that a text uses, with their own helpers, in the order of the table. @param {string} text */
export function helpersFor(text) {
  const used = new Set()
  for (let all = text, before = -1; used.size !== before;) {
    before = used.size
    for (const name of Object.keys(HELPERS)) {
      if (!used.has(name) && new RegExp(`\\b${name}\\b(?!=)`).test(all)) all += HELPERS[used.add(name) && name]
    }
  }
  return Object.keys(HELPERS).filter(name => used.has(name)).map(name => HELPERS[name])
}
